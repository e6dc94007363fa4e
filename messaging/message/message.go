package message

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// Message is an accepted message.
type Message struct {
	ID               string // msg_ or sb_ and an ID26
	NotificationID   string // ntf_ and the same ID26
	AccountID        string
	ProjectID        string
	RequestedChannel gateway.Channel // or Auto
	Channel          gateway.Channel // of the route that it is on
	To               string          // a phone number with its plus, or an email address
	Address          string          // as gateways take it
	SenderID         string
	From             string  // the sender's address
	Gateway          string  // the gateway's name
	Content          Content // as the recipient gets it; empty when it is sealed or erased
	Options          Options
	Metadata         Metadata // empty of a sensitive message
	Sensitive        bool
	Sealed           string // a sensitive message's content, as it is stored until the message is final
	Source           Source
	Status           Status
	Version          int64     // raised by each write: the fence of the next
	RouteIndex       int       // which route it is on: 1 is the first
	Tried            []Route   // the routes before
	Tries            int       // attempts on this route that handed nothing over
	Calls            int       // how often a gateway was called with it
	ConversationID   string    // the inbox's, if it shows there
	DueAt            time.Time // not before, or when to look again; zero: ready, or nothing more to do
	CanceledAt       time.Time
	UnknownAt        time.Time // since when the outcome is unknown; zero: it is known
	ProviderID       string
	Failure          *Failure // nil: none
	Timeline         Timeline
	ChargedDay       int64 // days since 1970; 0: no quota was used
	CreatedAt        time.Time
	ScheduledAt      time.Time // zero: at once
	ExpiresAt        time.Time
	SentAt           time.Time
	DeliveredAt      time.Time
	ReadAt           time.Time
	FailedAt         time.Time
}

// Lifetimes of unfinished messages.
const (
	Lifetime      = 24 * time.Hour
	EmailLifetime = 72 * time.Hour

	SensitiveLifetime = 5 * time.Minute // M25
)

// New makes the message of a checked request, accepted at now.
func New(r *Request, accountID, projectID string, now time.Time) *Message {
	key := id.New(now)
	prefix, life := id.Message, Lifetime
	if r.Sandbox {
		prefix = id.Sandbox
	}
	if r.Channel == gateway.Email {
		life = EmailLifetime
	}
	if r.Sensitive {
		life = SensitiveLifetime
	}
	start := now
	if r.ScheduledAt.After(now) {
		start = r.ScheduledAt
	}
	expires := start.Add(life)
	if !r.ExpiresAt.IsZero() && (!r.Sensitive || r.ExpiresAt.Before(expires)) {
		expires = r.ExpiresAt
	}
	m := &Message{
		ID: prefix + key, NotificationID: id.Notification + key, AccountID: accountID, ProjectID: projectID,
		RequestedChannel: r.Channel, Channel: r.Channel, To: phone.Shown(r.To), Address: r.Address, Content: r.Content, Options: r.options(), Sensitive: r.Sensitive, Source: r.Source, RouteIndex: 1,
		CreatedAt: now, ScheduledAt: r.ScheduledAt, ExpiresAt: expires,
	}
	if !r.Sensitive {
		m.Metadata = r.Metadata
	}
	if m.Channel == Auto {
		m.Channel = gateway.WhatsApp // until a sender is chosen
	}
	return m
}

// SetDefaultSubject gives a message that may go by email a subject, if it has none.
func (m *Message) SetDefaultSubject(title string) {
	if (m.Channel == gateway.Email || m.Options.Email != "") && strings.TrimSpace(m.Content.Subject) == "" {
		m.Content.Subject = title
	}
}

// ClampTime returns a time of a gateway's clock, or the time of the message's last step if
// that is later: a message is sent, delivered, and read in this order, whatever the clocks are.
func (m *Message) ClampTime(at time.Time) time.Time {
	for _, before := range []time.Time{m.CreatedAt, m.SentAt, m.DeliveredAt, m.ReadAt} {
		if before.After(at) {
			at = before
		}
	}
	return at
}

// OrderKey returns the group or address for which the order of a sender's messages is kept; "" for codes and other
// sensitive messages, whose order isn't kept.
func (m *Message) OrderKey() string {
	switch {
	case m.Sensitive:
		return ""
	case m.Options.GroupID != "":
		return m.Options.GroupID
	}
	return m.Address
}

// Outbound returns the message as a gateway gets it, without fetching its media.
func (m *Message) Outbound() *gateway.Outbound {
	out := &gateway.Outbound{
		Ref: m.Ref(), Channel: m.Channel, From: m.From, To: m.Address, GroupID: m.Options.GroupID,
		Text: m.Content.Text, HTML: m.Content.HTML, Subject: m.Content.Subject, Code: m.Content.Code, Locale: m.Content.Locale, Sensitive: m.Sensitive, ExpiresAt: m.ExpiresAt,
		Template: m.Content.Template, Interactive: m.Content.Interactive, Preset: m.Content.Preset, Values: m.Content.Values,
	}
	if m.Options.MediaURL != "" {
		out.Media = &gateway.Media{URL: m.Options.MediaURL}
	}
	return out
}

// Ref returns the reference that gateways get: the message's id, from the second route on with the route's number.
func (m *Message) Ref() string {
	if m.RouteIndex <= 1 {
		return m.ID
	}
	return m.ID + "-" + strconv.Itoa(m.RouteIndex)
}

// ParseRef parses a reference of [Message.Ref]; ok is false for anything else.
func ParseRef(ref string) (messageID string, routeIndex int, ok bool) {
	messageID, tail, found := strings.Cut(ref, "-")
	routeIndex = 1
	if found {
		n, err := strconv.Atoi(tail)
		if err != nil || n < 2 || strconv.Itoa(n) != tail {
			return "", 0, false
		}
		routeIndex = n
	}
	ids := IDs(messageID)
	return messageID, routeIndex, len(ids) == 1 && ids[0] == messageID
}

// Step is one line of a message's timeline: what happened, when, and why.
type Step struct {
	At      int64           `json:"at"` // Unix milliseconds
	Status  Status          `json:"status"`
	Channel gateway.Channel `json:"channel,omitempty"`
	Sender  string          `json:"sender,omitempty"`
	Failure *Failure        `json:"failure,omitempty"`
	Note    string          `json:"note,omitempty"`
}

// Timeline is the stored steps: JSON objects joined by commas, so that the database can
// append one without reading the others.
type Timeline string

// FirstStep returns a timeline of one step.
func FirstStep(s Step) Timeline { return Timeline(s.append(nil)) }

// AppendedStep returns what to append to a stored timeline.
func AppendedStep(s Step) string { return string(s.append([]byte{','})) }

// Steps reads the timeline.
func (t Timeline) Steps() ([]Step, error) {
	var steps []Step
	err := json.Unmarshal([]byte("["+string(t)+"]"), &steps)
	return steps, err
}

// previewSize is the most characters of a preview.
const previewSize = 120

// Preview returns the beginning of a text, as lists show it.
func Preview(text string) string {
	n := 0
	for i := range text {
		if n == previewSize {
			return text[:i]
		}
		n++
	}
	return text
}

// IDs returns the ids of the messages that s, a message's or a notification's id, may
// mean; none when s is neither.
func IDs(s string) []string {
	for _, prefix := range []string{id.Message, id.Sandbox} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && id.Valid(rest) {
			return []string{s}
		}
	}
	if rest, ok := strings.CutPrefix(s, id.Notification); ok && id.Valid(rest) {
		return []string{id.Message + rest, id.Sandbox + rest}
	}
	return nil
}
