package webhook

import (
	"encoding/json"
	"net/http"
	"time"

	griot "example.com/griot/client"
)

// Event is something that has happened. Its Data is what the type says: a [*MessageStatus], [*MessageReceived],
// [*SenderStatus], [*Ping], or [*Login]; nil for a type that is newer than this package.
type Event struct {
	Type string    `json:"event"`
	ID   string    `json:"eventId"` // the same however often it is delivered
	At   time.Time `json:"timestamp"`
	Data any       `json:"-"`
	Raw  []byte    `json:"-"` // the body as it came
}

// The types of events.
const (
	TypeMessageStatus      = "message.status"
	TypeMessageReceived    = "message.received"
	TypeSenderStatus       = "sender.status"
	TypePing               = "webhook.ping"
	TypeLoginVerified      = "login.verified"       // a phone has proved the login
	TypeLoginCompleted     = "login.completed"      // its code was exchanged
	TypeLoginCanceled      = "login.canceled"       // the person took it back before that
	TypeLoginPhoneConflict = "login.phone_conflict" // a second phone sent its words, which ended it
	TypeLoginRevoked       = "login.revoked"        // its token is worth nothing any more: end the session that was made of it
)

// Event verifies a body, as [Verifier.Verify] does, and reads it.
func (v *Verifier) Event(h http.Header, body []byte) (*Event, error) {
	if err := v.Verify(h, body); err != nil {
		return nil, err
	}
	return Parse(body)
}

// Parse reads an event without verifying it: one that comes from griot.Client.Listen. The error is [ErrBody].
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
	case TypeSenderStatus:
		e.Data = &SenderStatus{}
	case TypePing:
		e.Data = &Ping{}
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
	ProviderMessageID string              `json:"providerMessageId"` // the gateway's own
	Channel           griot.Channel       `json:"channel"`
	To                string              `json:"to"`
	Status            griot.MessageStatus `json:"status"` // Sent, Delivered, Read, Failed, or Expired
	PreviousStatus    griot.MessageStatus `json:"previousStatus"`
	Timestamp         time.Time           `json:"timestamp"`
	Sequence          int                 `json:"sequence"` // grows with each step: a smaller one is older news, whenever it arrives
	Attempt           int                 `json:"attempt"`
	FallbackFrom      griot.Channel       `json:"fallbackFrom"` // the channel that was left for this one
	Error             *Failure            `json:"error"`
	SenderID          string              `json:"senderId"`
	GroupID           string              `json:"groupId"`
	ProjectID         string              `json:"projectId"`
	IdempotencyKey    string              `json:"idempotencyKey"`
	Metadata          map[string]string   `json:"metadata"`
	Sandbox           bool                `json:"sandbox"`
}

// Failure is why a message failed.
type Failure struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	ProviderCode string `json:"providerCode"` // the gateway's own
	Retryable    bool   `json:"retryable"`    // the same message may work later
}

// MessageReceived is what a person has written.
type MessageReceived struct {
	MessageID    string          `json:"messageId"`
	From         string          `json:"from"`
	To           string          `json:"to"`
	Channel      griot.Channel   `json:"channel"`
	DisplayName  string          `json:"displayName"` // as the person calls themselves
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	MediaURL     string          `json:"mediaUrl"` // of an attachment, for griot.Client.Media
	MIMEType     string          `json:"mimeType"`
	FileName     string          `json:"fileName"`
	MediaMissing string          `json:"mediaMissing"` // why there is no attachment though one was sent: too_large, account_full, unavailable
	Choice       *Choice         `json:"choice"`
	Response     json.RawMessage `json:"response"` // what a form was filled in with, an object; null: none
	ReplyTo      string          `json:"replyTo"`  // the id of the message that it answers
	Timestamp    time.Time       `json:"timestamp"`
}

// Choice is the button, row, or quick reply that a person pressed.
type Choice struct {
	ID    string `json:"id"` // with which it was sent; empty where the gateway gives none
	Title string `json:"title"`
}

// SenderStatus is a change of the connection of one of the account's senders.
type SenderStatus struct {
	SenderID      string            `json:"senderId"`
	Channel       griot.Channel     `json:"channel"`
	Address       string            `json:"address"`
	State         griot.SenderState `json:"state"`
	PreviousState griot.SenderState `json:"previousState"`
	Reason        string            `json:"reason"` // why, as a code
	Until         time.Time         `json:"until"`  // when it is expected to end; zero: nobody says
	Timestamp     time.Time         `json:"timestamp"`
}

// Ping tries the endpoint. TenantID is there for one that gets logins.
type Ping struct {
	TenantID  string    `json:"tenantId"`
	Timestamp time.Time `json:"timestamp"`
}

// Login is a step of a login; [Event.Type] says which.
type Login struct {
	TenantID   string    `json:"tenantId"`
	ClientID   string    `json:"clientId"`
	LoginKeyID string    `json:"loginKeyId"`
	Mode       string    `json:"mode"` // LIVE or TEST
	Timestamp  time.Time `json:"timestamp"`
	Phone      string    `json:"phone"`      // masked
	PhoneE164  string    `json:"phone_e164"` // with login.completed: in full, without a plus
	Subject    string    `json:"subject"`
	TokenID    string    `json:"tokenId"` // the token's jti
	AMR        []string  `json:"amr"`
	Reason     string    `json:"reason"` // with login.revoked: canceled_by_user, code_replayed, revoked_by_client, signed_out, or number_detached
}
