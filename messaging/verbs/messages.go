package verbs

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/whatsappid"
	"example.com/griot/messaging/message"
)

// Messages returns the table of commands for the messages of all accounts.
func Messages(read *message.Reader) verb.Verbs {
	return byOperator(&messages{read}, messageVerbs())
}

func messageVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("messages.show", "Show the status of any account's message", verb.Reads, (*messages).show).Explained("Show the status of any account's message, without its content and with the recipient masked. The account's audit log records the access."),
	}
}

type messages struct{ read *message.Reader }

// A Message is a message as operators see it, without its content and with the recipient masked.
type Message struct {
	ID           string        `json:"id" row:"message"`
	AccountID    string        `json:"accountId" row:"account"`
	ProjectID    string        `json:"projectId,omitempty"`
	Status       string        `json:"status" row:"status"`
	Requested    string        `json:"requestedChannel"`
	Channel      string        `json:"channel" row:"channel"`
	Recipient    string        `json:"recipient" row:"to"` // masked
	SenderID     string        `json:"senderId,omitempty"`
	From         string        `json:"from,omitempty" row:"from"`
	Gateway      string        `json:"gateway,omitempty" row:"gateway"`
	ProviderID   string        `json:"providerId,omitempty" row:"provider's id"`
	Source       string        `json:"source"`
	Sensitive    bool          `json:"sensitive"`
	Characters   int           `json:"characters"` // of the text; 0 for a sensitive message
	Calls        int           `json:"calls"`      // number of submissions to a gateway
	CreatedAt    time.Time     `json:"createdAt"`
	ScheduledAt  *time.Time    `json:"scheduledAt"`
	ExpiresAt    time.Time     `json:"expiresAt"`
	DueAt        *time.Time    `json:"dueAt"` // the time of the next check
	Code         string        `json:"code,omitempty" row:"error"`
	ProviderCode string        `json:"providerCode,omitempty"`
	Steps        []MessageStep `json:"steps"` // oldest first
}

// A MessageStep is an entry of a message's timeline.
type MessageStep struct {
	At           time.Time `json:"at" col:"AT"`
	Status       string    `json:"status" col:"STATUS"`
	Channel      string    `json:"channel,omitempty" col:"CHANNEL"`
	SenderID     string    `json:"senderId,omitempty" col:"SENDER"`
	Code         string    `json:"code,omitempty" col:"CODE"`
	ProviderCode string    `json:"providerCode,omitempty" col:"PROVIDER'S CODE"`
	Note         string    `json:"note,omitempty" col:"NOTE"`
}

// ByMessage identifies a message.
type ByMessage struct {
	ID string `json:"id" arg:"MESSAGE" help:"msg_..."`
}

const longestID = 64

// show returns a message. Before that, it records the request in the audit log of the message's account.
func (h *messages) show(ctx context.Context, in *ByMessage) (Message, error) {
	if len(in.ID) > longestID || strings.ContainsFunc(in.ID, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Message{}, noMessage()
	}
	m, err := h.read.View(ctx, in.ID)
	if err != nil {
		return Message{}, err
	}
	if m == nil {
		return Message{}, noMessage()
	}
	return shownMessage(m)
}

func noMessage() error { return verb.Refuse("The message doesn't exist.") }

func shownMessage(m *message.Message) (Message, error) {
	out := Message{
		ID: m.ID, AccountID: m.AccountID, ProjectID: m.ProjectID, Status: string(m.Status), Requested: string(m.RequestedChannel), Channel: string(m.Channel), Recipient: maskedRecipient(m.Address), SenderID: m.SenderID, From: m.From,
		Gateway: m.Gateway, ProviderID: m.ProviderID, Source: string(m.Source), Sensitive: m.Sensitive, Calls: m.Calls, CreatedAt: m.CreatedAt, ScheduledAt: verb.TimeOrNull(m.ScheduledAt), ExpiresAt: m.ExpiresAt, DueAt: verb.TimeOrNull(m.DueAt), Steps: []MessageStep{},
	}
	if !m.Sensitive {
		out.Characters = utf8.RuneCountInString(m.Content.Text)
	}
	if f := m.Failure; f != nil {
		out.Code, out.ProviderCode = f.Code, f.ProviderCode
	}
	steps, err := m.Timeline.Steps()
	for _, s := range steps {
		step := MessageStep{At: time.UnixMilli(s.At).UTC(), Status: string(s.Status), Channel: string(s.Channel), SenderID: s.Sender, Note: s.Sentence()}
		if s.Failure != nil {
			step.Code, step.ProviderCode = s.Failure.Code, s.Failure.ProviderCode
		}
		out.Steps = append(out.Steps, step)
	}
	return out, err
}

// maskedRecipient keeps only the part of an address that shows its network or provider.
func maskedRecipient(address string) string {
	if number, ok := phone.Parse(address); ok {
		return number.Masked()
	}
	if id, ok := whatsappid.Parse(address); ok {
		return id.Masked()
	}
	name, domain, isEmail := strings.Cut(address, "@")
	first, _ := utf8.DecodeRuneInString(name)
	if name == "" {
		return "***"
	}
	if !isEmail || !strings.Contains(domain, ".") {
		return string(first) + "***"
	}
	return string(first) + "***@" + domain
}
