package griot

import (
	"encoding/json"
	"strings"
	"time"
)

// Channel is how a message reaches a person.
type Channel string

// The channels. Auto lets the service choose: WhatsApp, then SMS, then email.
const (
	WhatsApp Channel = "whatsapp"
	SMS      Channel = "sms"
	Email    Channel = "email"
	Auto     Channel = "auto"
)

// MessageStatus is where a message is in its life.
type MessageStatus string

// The statuses.
const (
	Scheduled MessageStatus = "SCHEDULED" // waits for its time
	Queued    MessageStatus = "QUEUED"    // stored, and on its way
	Sending   MessageStatus = "SENDING"   // a gateway is being called
	Sent      MessageStatus = "SENT"      // a gateway has taken it
	Delivered MessageStatus = "DELIVERED" // the recipient's device has it
	Read      MessageStatus = "READ"
	Failed    MessageStatus = "FAILED"
	Expired   MessageStatus = "EXPIRED"
	Canceled  MessageStatus = "CANCELED"
	Sandbox   MessageStatus = "SANDBOX" // only simulated
)

// UnmarshalText reads a status as a response or an event has it: events write statuses in lowercase.
func (s *MessageStatus) UnmarshalText(text []byte) error {
	*s = MessageStatus(strings.ToUpper(string(text)))
	return nil
}

// Open reports whether the message is still on its way to a gateway.
func (s MessageStatus) Open() bool { return s == Scheduled || s == Queued || s == Sending }

// HasFailed reports whether the message has ended without getting there, as far as is known.
func (s MessageStatus) HasFailed() bool { return s == Failed || s == Expired }

// Message is what to send to whom. Members that are zero are left out.
type Message struct {
	To      string  `json:"to"` // E.164, with or without a plus; an email address on Email
	Channel Channel `json:"channel"`

	Text    string `json:"message,omitempty"`
	HTML    string `json:"html,omitempty"`    // email
	Subject string `json:"subject,omitempty"` // email

	Preset          string            `json:"preset,omitempty"` // in place of Text
	PresetVariables map[string]string `json:"presetVariables,omitempty"`

	MediaURL string `json:"mediaUrl,omitempty"` // WhatsApp
	Caption  string `json:"caption,omitempty"`
	WhatsApp *Forms `json:"whatsapp,omitempty"` // how it looks there, where the gateway can; Text goes anywhere else
	GroupID  string `json:"groupId,omitempty"`  // WhatsApp: an id of [Client.Groups]
	SenderID string `json:"senderId,omitempty"` // which of the account's senders

	// Sensitive keeps the content out of histories: for codes and recovery links.
	Sensitive bool `json:"sensitive,omitempty"`

	ScheduledAt time.Time `json:"scheduledAt,omitzero"` // when to send it
	ExpiresAt   time.Time `json:"expiresAt,omitzero"`   // when it is no longer worth sending

	Email         string `json:"email,omitempty"`         // Auto: where it may go in the end
	FallbackAfter int    `json:"fallbackAfter,omitempty"` // Auto: seconds without a delivery before the next channel is tried
	Retry         *Retry `json:"retry,omitempty"`         // nil: one attempt a channel

	Sandbox         bool  `json:"sandbox,omitempty"`         // only simulate it
	SandboxWebhooks *bool `json:"sandboxWebhooks,omitempty"` // false: without simulated events
	// DryRun only checks what would happen: nothing is stored. [Client.Preview] sets it.
	DryRun bool `json:"dryRun,omitempty"`

	// Metadata is kept with the message, for [LogFilter] and whoever reads its status
	// or its events: up to 16 texts, 4 KB in all. Of a sensitive message it is not kept.
	Metadata map[string]string `json:"metadata,omitempty"`

	// IdempotencyKey makes it safe to send the same message again, in this process or
	// another: it goes out once. Empty: a new one for each [Client.Send].
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// Retry is how often a gateway is called; its zero value leaves that to the service.
type Retry struct {
	MaxAttempts int
	Delay       time.Duration // before the second attempt; longer each time
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
