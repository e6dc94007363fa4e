package webhook

import (
	"encoding/json"
	"net/http"
	"time"

	griot "example.com/griot/client"
)

// An Event is a webhook event. The type of Data depends on Type: a [*MessageStatus], [*MessageReceived],
// [*MessageEdited], [*MessageDeleted], [*NumberChanged], [*SenderStatus], [*Ping], [*Login], or [*PersonNumberChanged]. Data is nil if this version of the package does not have the type.
type Event struct {
	Type string    `json:"event"`
	ID   string    `json:"eventId"` // the same for every delivery of the event
	At   time.Time `json:"timestamp"`
	Data any       `json:"-"`
	Raw  []byte    `json:"-"` // the body as received
}

// The types of events.
const (
	TypeMessageStatus      = "message.status"
	TypeMessageReceived    = "message.received"
	TypeMessageEdited      = "message.edited"
	TypeMessageDeleted     = "message.deleted"
	TypeNumberChanged      = "contact.number_changed"
	TypeSenderStatus       = "sender.status"
	TypePing               = "webhook.ping"
	TypeLoginVerified      = "login.verified"       // a phone has verified the login
	TypeLoginCompleted     = "login.completed"      // the code was exchanged
	TypeLoginCanceled      = "login.canceled"       // the person canceled the login before its code was exchanged
	TypeLoginPhoneConflict = "login.phone_conflict" // a second phone sent the words, which ended the login
	TypeLoginRevoked       = "login.revoked"        // the token was revoked; end the session that was created with it

	TypePersonNumberChanged = "person.number_changed" // WhatsApp reports that a person who signs in has another number
)

// Event verifies a body, as [Verifier.Verify] does, and decodes it.
func (v *Verifier) Event(h http.Header, body []byte) (*Event, error) {
	if err := v.Verify(h, body); err != nil {
		return nil, err
	}
	return Parse(body)
}

// Parse decodes an event without verifying it, for example an event of griot.Client.Listen. The error is [ErrBody].
func Parse(body []byte) (*Event, error) {
	e := &Event{Raw: body}
	if json.Unmarshal(body, e) != nil || e.Type == "" || e.ID == "" {
		return nil, ErrBody
	}
	switch e.Type {
	case TypeMessageStatus:
		e.Data = &MessageStatus{}
	case TypeMessageReceived:
		e.Data = &MessageReceived{}
	case TypeMessageEdited:
		e.Data = &MessageEdited{}
	case TypeMessageDeleted:
		e.Data = &MessageDeleted{}
	case TypeNumberChanged:
		e.Data = &NumberChanged{}
	case TypeSenderStatus:
		e.Data = &SenderStatus{}
	case TypePing:
		e.Data = &Ping{}
	case TypePersonNumberChanged:
		e.Data = &PersonNumberChanged{}
	case TypeLoginVerified, TypeLoginCompleted, TypeLoginCanceled, TypeLoginPhoneConflict, TypeLoginRevoked:
		e.Data = &Login{}
	default:
		return e, nil
	}
	if json.Unmarshal(body, e.Data) != nil {
		return nil, ErrBody
	}
	return e, nil
}

// A MessageStatus reports a step of a message. It never contains the message's text.
type MessageStatus struct {
	MessageID         string              `json:"messageId"`
	NotifMessageID    string              `json:"notifMessageId"`
	ProviderMessageID string              `json:"providerMessageId"` // the gateway's ID
	Channel           griot.Channel       `json:"channel"`
	To                string              `json:"to"`
	Status            griot.MessageStatus `json:"status"` // Sent, Delivered, Read, Failed, or Expired
	PreviousStatus    griot.MessageStatus `json:"previousStatus"`
	Timestamp         time.Time           `json:"timestamp"`
	Sequence          int                 `json:"sequence"` // increases with each step; ignore an event with a lower sequence than the last one
	Attempt           int                 `json:"attempt"`
	FallbackFrom      griot.Channel       `json:"fallbackFrom"` // the previous channel, after a fallback to this one
	Error             *Failure            `json:"error"`
	SenderID          string              `json:"senderId"`
	GroupID           string              `json:"groupId"`
	ProjectID         string              `json:"projectId"`
	IdempotencyKey    string              `json:"idempotencyKey"`
	Metadata          map[string]string   `json:"metadata"`
	Sandbox           bool                `json:"sandbox"`
}

// A Failure is the reason why a message failed.
type Failure struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	ProviderCode string `json:"providerCode"` // the gateway's error code
	Retryable    bool   `json:"retryable"`    // the same message might succeed later
}

// A MessageReceived is a message from a person.
type MessageReceived struct {
	MessageID    string          `json:"messageId"`
	From         string          `json:"from"`         // the number with a plus sign, or the WhatsApp ID if WhatsApp hides the number, or for SMS, a sender without its country as it came
	FromID       string          `json:"fromId"`       // the WhatsApp ID; empty: not reported
	FromUsername string          `json:"fromUsername"` // the WhatsApp username, without @; empty: none
	To           string          `json:"to"`
	Channel      griot.Channel   `json:"channel"`
	DisplayName  string          `json:"displayName"` // the name that the person has chosen
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	MediaURL     string          `json:"mediaUrl"` // an attachment, for griot.Client.Media
	MIMEType     string          `json:"mimeType"`
	FileName     string          `json:"fileName"`
	MediaMissing string          `json:"mediaMissing"` // the reason why an attachment is missing: too_large, account_full, or unavailable
	Choice       *Choice         `json:"choice"`
	Response     json.RawMessage `json:"response"` // the data of a submitted form, a JSON object; null: none
	ReplyTo      string          `json:"replyTo"`  // the ID of the message that this one replies to
	Standby      bool            `json:"standby"`  // the provider's own agent, such as Meta's Business Agent, has the conversation
	Timestamp    time.Time       `json:"timestamp"`
}

// A MessageEdited is a message that its author has edited. The attachment is the same as before.
type MessageEdited struct {
	MessageID    string        `json:"messageId"`    // as in [MessageReceived]
	From         string        `json:"from"`         // as in [MessageReceived]
	FromID       string        `json:"fromId"`       // the WhatsApp ID; empty: not reported
	FromUsername string        `json:"fromUsername"` // the WhatsApp username, without @; empty: none
	To           string        `json:"to"`
	Channel      griot.Channel `json:"channel"`
	Type         string        `json:"type"`
	Text         string        `json:"text"`      // the new text or caption
	Timestamp    time.Time     `json:"timestamp"` // the time of the edit
}

// A MessageDeleted is a message that its author has deleted for everyone.
type MessageDeleted struct {
	MessageID    string        `json:"messageId"`    // as in [MessageReceived]
	From         string        `json:"from"`         // as in [MessageReceived]
	FromID       string        `json:"fromId"`       // the WhatsApp ID; empty: not reported
	FromUsername string        `json:"fromUsername"` // the WhatsApp username, without @; empty: none
	To           string        `json:"to"`
	Channel      griot.Channel `json:"channel"`
	Type         string        `json:"type"`
	Timestamp    time.Time     `json:"timestamp"` // the time of the deletion
}

// A NumberChanged reports that a person has another number, or another WhatsApp ID.
type NumberChanged struct {
	OldNumber string        `json:"oldNumber"` // with a plus sign; empty: unknown
	NewNumber string        `json:"newNumber"` // with a plus sign; empty: unknown
	OldID     string        `json:"oldId"`     // the WhatsApp ID; empty: unknown
	NewID     string        `json:"newId"`     // the WhatsApp ID; empty: unknown
	To        string        `json:"to"`        // the account's number that got the report
	Channel   griot.Channel `json:"channel"`
	Timestamp time.Time     `json:"timestamp"` // the time of the change
}

// A Choice is the button, row, or quick reply that a person pressed.
type Choice struct {
	ID    string `json:"id"` // the ID that it was sent with; empty if the gateway does not report it
	Title string `json:"title"`
}

// A SenderStatus is a change in the connection of one of the account's senders.
type SenderStatus struct {
	SenderID      string            `json:"senderId"`
	Channel       griot.Channel     `json:"channel"`
	Address       string            `json:"address"`
	State         griot.SenderState `json:"state"`
	PreviousState griot.SenderState `json:"previousState"`
	Reason        string            `json:"reason"` // the reason for the state, as a code
	Until         time.Time         `json:"until"`  // expected end of the state; zero: unknown
	Timestamp     time.Time         `json:"timestamp"`
}

// A Ping is an event that tests the endpoint. TenantID is set if the endpoint receives login events.
type Ping struct {
	TenantID  string    `json:"tenantId"`
	Timestamp time.Time `json:"timestamp"`
}

// A Login is a step of a login. [Event.Type] is the kind of step.
type Login struct {
	TenantID     string    `json:"tenantId"`
	ClientID     string    `json:"clientId"`
	LoginKeyID   string    `json:"loginKeyId"`
	Mode         string    `json:"mode"` // LIVE or TEST
	Timestamp    time.Time `json:"timestamp"`
	Phone        string    `json:"phone"`      // masked
	PhoneE164    string    `json:"phone_e164"` // only in login.completed: the full number, without a plus sign
	Subject      string    `json:"subject"`
	TokenID      string    `json:"tokenId"` // the jti claim of the token
	AMR          []string  `json:"amr"`
	NumberSource string    `json:"numberSource"` // only in login.verified: paired or shared if WhatsApp hid the number in the message; otherwise empty
	Reason       string    `json:"reason"`       // only in login.revoked: canceled_by_user, code_replayed, revoked_by_client, signed_out, number_detached, or number_changed
}

// A PersonNumberChanged reports that a person who signs in has another number. The subject stays with the number until
// the tenant moves the person. Both numbers are equal if the person has the number of the profile again.
type PersonNumberChanged struct {
	TenantID     string    `json:"tenantId"`
	Mode         string    `json:"mode"`           // LIVE
	Subject      string    `json:"subject"`        // of the person's tokens
	PhoneE164    string    `json:"phone_e164"`     // the number of the profile, without a plus sign
	NewPhoneE164 string    `json:"new_phone_e164"` // the number that the person has now, without a plus sign
	Timestamp    time.Time `json:"timestamp"`
}
