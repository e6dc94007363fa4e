package events

import (
	"encoding/json"
	"time"

	"griot/gateway"
	"griot/internal/id"
	"griot/internal/phone"
	"griot/messaging/account"
	"griot/messaging/message"
)

// Ping is the type of the event that tests an endpoint.
const Ping = "webhook.ping"

// Wanted reports whether anybody is to be told of an account's events: its
// endpoint, or somebody who listens.
func Wanted(a *account.Account, now time.Time) bool {
	return a.WebhookURL != "" || now.Before(a.ListenUntil)
}

// StatusWanted is [Wanted] for a message that becomes to: accounts may choose not to hear of reading.
func StatusWanted(a *account.Account, to message.Status, now time.Time) bool {
	return Wanted(a, now) && (to != message.Read || !a.MutesReads)
}

type pingBody struct {
	Event     string `json:"event"`
	EventID   string `json:"eventId"`
	Timestamp string `json:"timestamp"`
}

// NewPing makes an event that tells of nothing, to try an endpoint with.
func NewPing(accountID string, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: accountID, Type: Ping, At: at}
	e.Body = encode(pingBody{Event: Ping, EventID: e.ID, Timestamp: at.UTC().Format(timeFormat)})
	return e
}

type senderBody struct {
	Event         string            `json:"event"`
	EventID       string            `json:"eventId"`
	SenderID      string            `json:"senderId"`
	Channel       gateway.Channel   `json:"channel"`
	Address       string            `json:"address"`
	State         gateway.ConnState `json:"state"`
	PreviousState gateway.ConnState `json:"previousState"`
	Timestamp     string            `json:"timestamp"`
}

// SenderChanged makes the event of a sender whose connection went from one state to another.
func SenderChanged(s account.Sender, from, to gateway.ConnState, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: s.AccountID, Type: SenderStatus, At: at}
	e.Body = encode(senderBody{SenderStatus, e.ID, s.ID, s.Channel, phone.Shown(s.Address), to, from, at.UTC().Format(timeFormat)})
	return e
}

// Simulated makes the events of a sandbox message: it was sent and delivered, if
// only in play. They are stored beside it, unless the request says
// that they are not wanted.
func Simulated(m *message.Message, at time.Time) []*Event {
	delivered := at.Add(time.Millisecond) // so that they are listed in their order
	return []*Event{
		StatusChanged(m, message.Sending, message.Sent, at, "", nil),
		StatusChanged(m, message.Sent, message.Delivered, delivered, "", nil),
	}
}

// simulated reports whether an event tells of a sandbox message.
func (e *Event) simulated() bool {
	var b struct {
		MessageID string `json:"messageId"`
	}
	return json.Unmarshal([]byte(e.Body), &b) == nil && len(b.MessageID) > len(id.Sandbox) && b.MessageID[:len(id.Sandbox)] == id.Sandbox
}
