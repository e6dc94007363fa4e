package webhooks

import (
	"encoding/json"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/isotime"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// The types of events.
const (
	MessageStatus   = "message.status"
	MessageReceived = "message.received"
	MessageEdited   = "message.edited"
	MessageDeleted  = "message.deleted"
	NumberChanged   = "contact.number_changed"
	SenderStatus    = "sender.status"
	Ping            = "webhook.ping" // tests an endpoint
)

// An Event is an event of an account. Its body never changes, so that all attempts deliver the same one.
type Event struct {
	ID, AccountID, Type string
	Body                string
	At                  time.Time
	Stored              time.Time // if later than At
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
	Sequence          int              `json:"sequence"` // increases with each route and with the status's rank; a smaller number is older
	Attempt           int              `json:"attempt"`  // number of gateway calls so far
	FallbackFrom      *string          `json:"fallbackFrom"`
	Error             *errorBody       `json:"error"`
	SenderID          *string          `json:"senderId"`
	GroupID           *string          `json:"groupId"`
	ProjectID         *string          `json:"projectId"`
	IdempotencyKey    *string          `json:"idempotencyKey"`
	Metadata          message.Metadata `json:"metadata"` // null: none
	Sandbox           bool             `json:"sandbox"`
}

// hopSequence is the amount by which each route increases an event's sequence. It is higher than any rank.
const hopSequence = 100

type errorBody struct {
	Code         string  `json:"code"`
	Message      string  `json:"message"`
	ProviderCode *string `json:"providerCode"`
	Retryable    bool    `json:"retryable"`
}

// StatusChanged returns the event for a message whose status has changed. It contains IDs and statuses, never content.
func StatusChanged(m *message.Message, from, to message.Status, at time.Time, providerID string, f *message.Failure) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: m.AccountID, Type: MessageStatus, At: at}
	b := statusBody{
		Event: MessageStatus, EventID: e.ID, MessageID: m.ID, NotifMessageID: m.NotificationID, ProviderMessageID: optional(providerID),
		Channel: m.Channel, To: m.To, Status: strings.ToLower(string(to)), PreviousStatus: strings.ToLower(string(from)),
		Timestamp: isotime.Format(at), Sequence: (m.RouteIndex-1)*hopSequence + to.Rank(), Attempt: m.Calls,
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
	Event        string          `json:"event"`
	EventID      string          `json:"eventId"`
	MessageID    string          `json:"messageId"`
	From         string          `json:"from"`                   // the number with a plus sign, or the WhatsApp ID if the number is unknown
	FromID       string          `json:"fromId,omitempty"`       // the WhatsApp ID
	FromUsername string          `json:"fromUsername,omitempty"` // the WhatsApp username, without @
	Name         *string         `json:"displayName"`
	To           string          `json:"to"`
	Channel      gateway.Channel `json:"channel"`
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	MediaURL     *string         `json:"mediaUrl"`
	MIMEType     *string         `json:"mimeType"`
	FileName     *string         `json:"fileName"`
	Choice       *ChoiceBody     `json:"choice"`
	Response     json.RawMessage `json:"response"`
	ReplyTo      *string         `json:"replyTo"`
	MediaMissing *string         `json:"mediaMissing"`
	Standby      bool            `json:"standby,omitempty"` // the provider's own agent has the conversation
	Timestamp    string          `json:"timestamp"`
}

// A ChoiceBody is the button or row that a person pressed, in the form for events and the inbox.
type ChoiceBody struct {
	ID    *string `json:"id"` // null: the gateway did not report it
	Title string  `json:"title"`
}

// ChoiceOf returns a choice as JSON, or nil if there is none.
func ChoiceOf(c gateway.Choice) *ChoiceBody {
	if c.ID == "" && c.Title == "" {
		return nil
	}
	return &ChoiceBody{optional(c.ID), c.Title}
}

// ResponseOf returns the data of a submitted form, in the form for events and the inbox. It returns nil, which is
// null, if there is none.
func ResponseOf(object string) json.RawMessage {
	if object == "" {
		return nil
	}
	return json.RawMessage(object)
}

// Received returns the event for a message from a person. replyTo is our ID of the message that it replies to, or "".
func Received(accountID, messageID, replyTo string, in gateway.Inbound, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: accountID, Type: MessageReceived, At: at}
	if in.Type == "" {
		in.Type = gateway.InboundText
	}
	e.Body = encode(receivedBody{
		Event: MessageReceived, EventID: e.ID, MessageID: messageID, From: phone.Shown(in.Address()), FromID: in.Person.ID, FromUsername: in.Person.Username, To: phone.Shown(in.To),
		Channel: in.Channel, Type: string(in.Type), Text: in.Text, MediaURL: optional(in.MediaURL), MIMEType: optional(in.MIMEType), FileName: optional(in.FileName),
		Name: optional(in.DisplayName), Choice: ChoiceOf(in.Choice), Response: ResponseOf(in.Response), ReplyTo: optional(replyTo),
		Standby: in.Standby, Timestamp: isotime.Format(in.At),
	})
	return e
}

type revisedBody struct {
	Event        string          `json:"event"`
	EventID      string          `json:"eventId"`
	MessageID    string          `json:"messageId"`
	From         string          `json:"from"`                   // as in receivedBody, as the message has it
	FromID       string          `json:"fromId,omitempty"`       // as in receivedBody
	FromUsername string          `json:"fromUsername,omitempty"` // as in receivedBody
	To           string          `json:"to"`
	Channel      gateway.Channel `json:"channel"`
	Type         string          `json:"type"`
	Text         *string         `json:"text,omitempty"` // the new text; nil: the message was deleted
	Timestamp    string          `json:"timestamp"`
}

// Revised returns the event for a message that its author has edited or deleted. from is the author's address, and
// kind is the message's type.
func Revised(accountID, messageID, from, kind string, c *gateway.Change, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: accountID, Type: MessageDeleted, At: at}
	b := revisedBody{
		EventID: e.ID, MessageID: messageID, From: phone.Shown(from), FromID: c.Person.ID, FromUsername: c.Person.Username, To: phone.Shown(c.To),
		Channel: c.Channel, Type: kind, Timestamp: isotime.Format(c.At),
	}
	if c.Kind == gateway.MessageEdited {
		e.Type, b.Text = MessageEdited, &c.Content.Text
	}
	b.Event = e.Type
	e.Body = encode(b)
	return e
}

type movedBody struct {
	Event     string          `json:"event"`
	EventID   string          `json:"eventId"`
	OldNumber *string         `json:"oldNumber"` // with a plus sign, like NewNumber; null: unknown
	NewNumber *string         `json:"newNumber"`
	OldID     *string         `json:"oldId"` // the WhatsApp ID, like NewID; null: unknown
	NewID     *string         `json:"newId"`
	To        string          `json:"to"`
	Channel   gateway.Channel `json:"channel"`
	Timestamp string          `json:"timestamp"`
}

// Moved returns the event for a person who has another number or WhatsApp ID.
func Moved(accountID string, c *gateway.Change, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: accountID, Type: NumberChanged, At: at}
	e.Body = encode(movedBody{
		Event: e.Type, EventID: e.ID, OldNumber: optional(phone.Shown(c.OldNumber)), NewNumber: optional(phone.Shown(c.From)), OldID: optional(c.OldID), NewID: optional(c.Person.ID),
		To: phone.Shown(c.To), Channel: c.Channel, Timestamp: isotime.Format(c.At),
	})
	return e
}

// isReceived reports whether an event concerns a message from a person.
func (e *Event) isReceived() bool {
	return e.Type == MessageReceived || e.Type == MessageEdited || e.Type == MessageDeleted
}

// WithMedia returns a copy of the event for a received message, with the result for its attachment.
func (e *Event) WithMedia(url, mimeType, missing string, at time.Time) *Event {
	var b receivedBody
	if json.Unmarshal([]byte(e.Body), &b) != nil {
		return e // unreachable, because [Received] wrote it
	}
	out := &Event{ID: id.Event + id.New(at), AccountID: e.AccountID, Type: e.Type, At: at}
	b.EventID, b.MediaURL, b.MediaMissing = out.ID, optional(url), optional(missing)
	if mimeType != "" {
		b.MIMEType = &mimeType
	}
	out.Body = encode(b)
	return out
}

type pingBody struct {
	Event     string `json:"event"`
	EventID   string `json:"eventId"`
	Timestamp string `json:"timestamp"`
}

// NewPing returns an event that tests an endpoint.
func NewPing(accountID string, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: accountID, Type: Ping, At: at}
	e.Body = encode(pingBody{Event: Ping, EventID: e.ID, Timestamp: isotime.Format(at)})
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
	Reason        *string           `json:"reason"`
	Until         *string           `json:"until"`
	Timestamp     string            `json:"timestamp"`
}

// SenderChanged returns the event for a sender whose connection has changed.
func SenderChanged(s account.Sender, from gateway.ConnState, to gateway.ConnDetail, at time.Time) *Event {
	e := &Event{ID: id.Event + id.New(at), AccountID: s.AccountID, Type: SenderStatus, At: at}
	b := senderBody{
		Event: SenderStatus, EventID: e.ID, SenderID: s.ID, Channel: s.Channel, Address: phone.Shown(s.Address), State: to.State, PreviousState: from,
		Reason: optional(to.Reason), Timestamp: isotime.Format(at),
	}
	if !to.Until.IsZero() {
		b.Until = optional(isotime.Format(to.Until))
	}
	e.Body = encode(b)
	return e
}

// Simulated returns the events for a simulated message that the account needs. They report the outcome that its
// recipient selects ([message.SimulationOf]). They are stored with the message, unless the request disables them.
func Simulated(a *account.Account, m *message.Message, at time.Time) (list []*Event) {
	s := message.SimulationOf(m.Channel, m.To)
	from := s.Statuses[0]
	for i, to := range s.Statuses[1:] {
		var failure *message.Failure
		if i == len(s.Statuses)-2 {
			failure = s.Failure
		}
		if StatusWanted(a, to, at) {
			list = append(list, StatusChanged(m, from, to, at.Add(time.Duration(i)*time.Millisecond), "", failure)) // later ones are listed later
		}
		from = to
	}
	return list
}

// About returns the message whose status an event reports, with the code of its failure. Both are empty for other
// events. The code is empty for a status that is not a failure.
func About(body string) (messageID, code string) {
	var b statusBody
	if json.Unmarshal([]byte(body), &b) != nil || b.Event != MessageStatus {
		return "", ""
	}
	if b.Error != nil {
		code = b.Error.Code
	}
	return b.MessageID, code
}

// simulated reports whether an event concerns a sandbox message.
func (e *Event) simulated() bool {
	about, _ := About(e.Body)
	return strings.HasPrefix(about, id.Sandbox)
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "{}" // unreachable, because encoding a body cannot fail
	}
	return string(b)
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
