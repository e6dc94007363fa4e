package events

import (
	"encoding/json"
	"strings"
	"time"

	"griot/gateway"
	"griot/internal/id"
	"griot/internal/phone"
	"griot/messaging/message"
)

// Types of events.
const (
	MessageStatus   = "message.status"
	MessageReceived = "message.received"
	SenderStatus    = "sender.status" // ours
)

// Event is what an account's endpoint is told. Its body is frozen when it is made.
type Event struct {
	ID, AccountID, Type string
	Body                string
	At                  time.Time
	Stored              time.Time // when it is written down, if later than At
}

type statusBody struct {
	Event             string           `json:"event"`
	EventID           string           `json:"eventId"`
	MessageID         string           `json:"messageId"`
	NotifMessageID    string           `json:"notifMessageId"`
	ProviderMessageID *string          `json:"providerMessageId"`
	Channel           gateway.Channel  `json:"channel"`
	To                string           `json:"to"`
	Status            string           `json:"status"`
	PreviousStatus    string           `json:"previousStatus"`
	Timestamp         string           `json:"timestamp"`
	Sequence          int              `json:"sequence"` // grows with each way and with the status's rank: a smaller one is older news
	Attempt           int              `json:"attempt"`  // how often a gateway was asked so far
	FallbackFrom      *string          `json:"fallbackFrom"`
	Error             *errorBody       `json:"error"`
	SenderID          *string          `json:"senderId"`
	GroupID           *string          `json:"groupId"`
	ProjectID         *string          `json:"projectId"`
	IdempotencyKey    *string          `json:"idempotencyKey"`
	Metadata          message.Metadata `json:"metadata"` // null: none
	Sandbox           bool             `json:"sandbox"`
}

// hopSequence is how much further each way is in an event's sequence; no rank reaches it.
const hopSequence = 100

type errorBody struct {
	Code         string  `json:"code"`
	Message      string  `json:"message"`
	ProviderCode *string `json:"providerCode"`
	Retryable    bool    `json:"retryable"`
}

// Times on the wire: ISO 8601 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// StatusChanged makes the event of a message that went from one status to
// another. It carries ids and statuses, never content.
func StatusChanged(m *message.Message, from, to message.Status, at time.Time, providerID string, f *message.Failure) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: m.AccountID, Type: MessageStatus, At: at}
	b := statusBody{
		Event: MessageStatus, EventID: e.ID, MessageID: m.ID, NotifMessageID: m.NotificationID, ProviderMessageID: optional(providerID),
		Channel: m.Channel, To: m.To, Status: strings.ToLower(string(to)), PreviousStatus: strings.ToLower(string(from)),
		Timestamp: at.UTC().Format(timeFormat), Sequence: (m.RouteIndex-1)*hopSequence + to.Rank(), Attempt: m.Calls,
		SenderID: optional(m.SenderID), GroupID: optional(m.Options.GroupID), ProjectID: optional(m.ProjectID), IdempotencyKey: optional(m.Options.Key), Metadata: m.Metadata, Sandbox: m.Status == message.Sandbox,
	}
	if n := len(m.Tried); n > 0 {
		b.FallbackFrom = optional(string(m.Tried[n-1].Channel))
	}
	if f != nil {
		b.Error = &errorBody{Code: f.Code, Message: f.Text(), ProviderCode: optional(f.ProviderCode), Retryable: f.Retryable()}
	}
	e.Body = encode(b)
	return e
}

type receivedBody struct {
	Event     string          `json:"event"`
	EventID   string          `json:"eventId"`
	MessageID string          `json:"messageId"`
	From      string          `json:"from"`
	Name      *string         `json:"displayName"`
	To        string          `json:"to"`
	Channel   gateway.Channel `json:"channel"`
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	MediaURL  *string         `json:"mediaUrl"`
	MIMEType  *string         `json:"mimeType"`
	FileName  *string         `json:"fileName"`
	Choice    *ChoiceBody     `json:"choice"`
	Response  json.RawMessage `json:"response"`
	ReplyTo   *string         `json:"replyTo"`
	Timestamp string          `json:"timestamp"`
}

// ChoiceBody is the button or row that a person pressed, as events and the inbox tell it.
type ChoiceBody struct {
	ID    *string `json:"id"` // null: the gateway gave none
	Title string  `json:"title"`
}

// ChoiceOf returns nil for none.
func ChoiceOf(c gateway.Choice) *ChoiceBody {
	if c.ID == "" && c.Title == "" {
		return nil
	}
	return &ChoiceBody{optional(c.ID), c.Title}
}

// ResponseOf is what a form was answered with, as events and the inbox tell it; nil, which is null, for nothing.
func ResponseOf(object string) json.RawMessage {
	if object == "" {
		return nil
	}
	return json.RawMessage(object)
}

// Received makes the event of a message from a person. replyTo is our id of the message that it answers; empty: none.
func Received(accountID, messageID, replyTo string, in gateway.Inbound, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: accountID, Type: MessageReceived, At: at}
	if in.Type == "" {
		in.Type = gateway.InboundText
	}
	e.Body = encode(receivedBody{
		Event: MessageReceived, EventID: e.ID, MessageID: messageID, From: phone.Shown(in.From), To: phone.Shown(in.To),
		Channel: in.Channel, Type: string(in.Type), Text: in.Text, MediaURL: optional(in.MediaURL), MIMEType: optional(in.MIMEType), FileName: optional(in.FileName),
		Name: optional(in.DisplayName), Choice: ChoiceOf(in.Choice), Response: ResponseOf(in.Response), ReplyTo: optional(replyTo),
		Timestamp: in.At.UTC().Format(timeFormat),
	})
	return e
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "{}" // not reached: nothing in a body can fail to be written
	}
	return string(b)
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
