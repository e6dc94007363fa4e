package griot

import (
	"encoding/json"
	"strings"
	"time"
)

// A Channel is a way to reach a person, such as WhatsApp or SMS.
type Channel string

// The channels. With Auto, the service chooses: first WhatsApp, then SMS, then email.
const (
	WhatsApp Channel = "whatsapp"
	SMS      Channel = "sms"
	Email    Channel = "email"
	Auto     Channel = "auto"
)

// A MessageStatus is the status of a message.
type MessageStatus string

// The statuses.
const (
	Scheduled MessageStatus = "SCHEDULED" // waiting for ScheduledAt
	Queued    MessageStatus = "QUEUED"    // stored and waiting to be sent
	Sending   MessageStatus = "SENDING"   // being submitted to a gateway
	Sent      MessageStatus = "SENT"      // accepted by a gateway
	Delivered MessageStatus = "DELIVERED" // received by the recipient's device
	Read      MessageStatus = "READ"
	Failed    MessageStatus = "FAILED"
	Expired   MessageStatus = "EXPIRED"
	Canceled  MessageStatus = "CANCELED"
	Sandbox   MessageStatus = "SANDBOX" // simulated
)

// UnmarshalText decodes a status from a response or an event. Events write statuses in lowercase.
func (s *MessageStatus) UnmarshalText(text []byte) error {
	*s = MessageStatus(strings.ToUpper(string(text)))
	return nil
}

// Open reports whether the message is scheduled, queued, or being submitted to a gateway.
func (s MessageStatus) Open() bool { return s == Scheduled || s == Queued || s == Sending }

// HasFailed reports whether the message has failed or expired.
func (s MessageStatus) HasFailed() bool { return s == Failed || s == Expired }

// A Message is a message to send. Zero fields are left out of the request.
type Message struct {
	To      string  `json:"to"` // a number in E.164, with or without a plus sign, or an email address with Email
	Channel Channel `json:"channel"`

	Text    string `json:"message,omitempty"`
	HTML    string `json:"html,omitempty"`    // for email
	Subject string `json:"subject,omitempty"` // for email

	Preset          string            `json:"preset,omitempty"` // instead of Text
	PresetVariables map[string]string `json:"presetVariables,omitempty"`

	MediaURL string `json:"mediaUrl,omitempty"` // for WhatsApp
	Caption  string `json:"caption,omitempty"`
	WhatsApp *Forms `json:"whatsapp,omitempty"` // the form of the message on WhatsApp, if the gateway supports it; other channels use Text
	GroupID  string `json:"groupId,omitempty"`  // for WhatsApp: an ID of [Client.Groups]
	SenderID string `json:"senderId,omitempty"` // one of the account's senders

	// Sensitive keeps the content out of histories. Set it for codes and recovery links.
	Sensitive bool `json:"sensitive,omitempty"`

	ScheduledAt time.Time `json:"scheduledAt,omitzero"` // the time at which to send the message
	ExpiresAt   time.Time `json:"expiresAt,omitzero"`   // the time after which the message must not be sent

	Email         string `json:"email,omitempty"`         // for Auto: the address for the last fallback
	FallbackAfter int    `json:"fallbackAfter,omitempty"` // for Auto: seconds without a delivery before the next channel is tried
	Retry         *Retry `json:"retry,omitempty"`         // nil: one attempt per channel

	Sandbox         bool  `json:"sandbox,omitempty"`         // simulate the message
	SandboxWebhooks *bool `json:"sandboxWebhooks,omitempty"` // false: no simulated events
	// DryRun checks what would happen without storing anything. [Client.Preview] sets it.
	DryRun bool `json:"dryRun,omitempty"`

	// Metadata is stored with the message and returned in its status and its events. [LogFilter] can search for it.
	// It has up to 16 values, and at most 4 KB in total. For sensitive messages, it is not stored.
	Metadata map[string]string `json:"metadata,omitempty"`

	// IdempotencyKey makes it safe to send the same message again, in this process or another one: the message is
	// sent once. If the field is empty, each [Client.Send] creates a new key.
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// A Retry configures the attempts to submit a message to a gateway. A zero field uses the default of the service.
type Retry struct {
	MaxAttempts int
	Delay       time.Duration // the pause before the second attempt; later pauses are longer
}

// MarshalJSON implements [json.Marshaler].
func (r Retry) MarshalJSON() ([]byte, error) {
	if r == (Retry{}) {
		return []byte("true"), nil
	}
	return json.Marshal(struct {
		MaxAttempts int   `json:"maxAttempts,omitempty"`
		DelayMs     int64 `json:"delayMs,omitempty"`
	}{r.MaxAttempts, r.Delay.Milliseconds()})
}
