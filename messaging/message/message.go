package message

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// A Message is an accepted message.
type Message struct {
	ID               string // msg_ or sb_ and an ID26
	NotificationID   string // ntf_ and the same ID26
	AccountID        string
	ProjectID        string
	RequestedChannel gateway.Channel // or Auto
	Channel          gateway.Channel // of the current route
	To               string          // a phone number with a plus sign, an email address, or a WhatsApp ID
	Address          string          // in the form that gateways use
	SenderID         string
	From             string  // the sender's address
	Gateway          string  // the gateway's name
	Content          Content // in the form for the recipient; empty if it is sealed or erased
	Options          Options
	Metadata         Metadata // empty for a sensitive message
	Sensitive        bool
	Sealed           string // a sensitive message's encrypted content, until the message is final
	Source           Source
	Status           Status
	Version          int64     // incremented by each write; guards the next one
	RouteIndex       int       // the current route; the first is 1
	Tried            []Route   // the previous routes
	Tries            int       // attempts on this route that submitted nothing
	Calls            int       // number of calls of gateways
	ConversationID   string    // of the inbox, if the inbox shows the message
	DueAt            time.Time // earliest time of sending, or time of the next check; zero: ready, or nothing more to do
	CanceledAt       time.Time
	UnknownAt        time.Time // time since which the outcome is unknown; zero: known
	ProviderID       string
	Price            Price
	Failure          *Failure // nil: none
	Timeline         Timeline
	ChargedDay       int64 // days since 1970; 0: does not count toward the quota
	CreatedAt        time.Time
	ScheduledAt      time.Time // zero: immediately
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

// New returns the message for a checked request that is accepted at now.
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

// SetDefaultSubject sets a subject for a message that might be sent by email, if it has none.
func (m *Message) SetDefaultSubject(title string) {
	if (m.Channel == gateway.Email || m.Options.Email != "") && strings.TrimSpace(m.Content.Subject) == "" {
		m.Content.Subject = title
	}
}

// ClampTime returns a time of a gateway's clock, or the time of the message's last step if that is later. Therefore,
// a message is always sent, delivered, and read in this order, even if clocks are wrong.
func (m *Message) ClampTime(at time.Time) time.Time {
	for _, before := range []time.Time{m.CreatedAt, m.SentAt, m.DeliveredAt, m.ReadAt} {
		if before.After(at) {
			at = before
		}
	}
	return at
}

// OrderKey returns the group or address whose messages from a sender are kept in order. It returns "" for codes and
// other sensitive messages, which have no order.
func (m *Message) OrderKey() string {
	switch {
	case m.Sensitive:
		return ""
	case m.Options.GroupID != "":
		return m.Options.GroupID
	}
	return m.Address
}

// IsMarketing reports whether the message is a marketing template on its current channel.
func (m *Message) IsMarketing() bool {
	return m.Options.Marketing && m.Channel == gateway.WhatsApp && !m.Options.Code
}

// Outbound returns the message in the form for a gateway, without fetching its media.
func (m *Message) Outbound() *gateway.Outbound {
	out := &gateway.Outbound{
		Ref: m.Ref(), Channel: m.Channel, From: m.From, GroupID: m.Options.GroupID,
		Text: m.Content.Text, HTML: m.Content.HTML, Subject: m.Content.Subject, Code: m.Content.Code, Locale: m.Content.Locale, Sensitive: m.Sensitive, ExpiresAt: m.ExpiresAt,
		Template: m.Content.Template, Interactive: m.Content.Interactive, Preset: m.Content.Preset, Values: m.Content.Values,
	}
	if whatsappid.Is(m.Address) {
		out.ToID = m.Address
	} else {
		out.To = m.Address
	}
	if out.Text == "" && out.HTML != "" { // many programs that read mail, and filters of spam, want a plain-text part
		out.Text = plainText(out.HTML)
	}
	if m.Options.MediaURL != "" {
		out.Media = &gateway.Media{URL: m.Options.MediaURL}
	}
	return out
}

// Ref returns the reference for gateways: the message's ID, followed by the route's number from the second route on.
func (m *Message) Ref() string {
	if m.RouteIndex <= 1 {
		return m.ID
	}
	return m.ID + "-" + strconv.Itoa(m.RouteIndex)
}

// ParseRef parses a reference of [Message.Ref]. ok is false for any other text.
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

// A Step is an entry of a message's timeline: what happened, when, and why.
type Step struct {
	At      int64           `json:"at"` // in Unix milliseconds
	Status  Status          `json:"status"`
	Channel gateway.Channel `json:"channel,omitempty"`
	Sender  string          `json:"sender,omitempty"`
	Failure *Failure        `json:"failure,omitempty"`
	Note
}

// A Timeline contains the stored steps: JSON objects joined by commas, so that the database can append one without reading the others.
type Timeline string

// FirstStep returns a timeline with one step.
func FirstStep(s Step) Timeline { return Timeline(s.append(nil)) }

// AppendedStep returns the text to append to a stored timeline.
func AppendedStep(s Step) string { return string(s.append([]byte{','})) }

// Steps decodes the timeline.
func (t Timeline) Steps() ([]Step, error) {
	var steps []Step
	err := json.Unmarshal([]byte("["+string(t)+"]"), &steps)
	return steps, err
}

// previewSize is the maximum length of a preview, in characters.
const previewSize = 120

// Preview returns the beginning of a text for lists.
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

// IDs returns the possible message IDs for s, which is the ID of a message or a notification. It returns none if s is neither.
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
