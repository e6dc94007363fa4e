package inbox

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"griot/gateway"
	"griot/internal/fault"
	"griot/messaging/account"
	"griot/messaging/message"
)

// MaxText is the most characters of a reply.
const MaxText = 4096

// CheckText checks a reply's text: 1 to 4096 characters, not only whitespace.
func CheckText(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n < 1 || n > MaxText:
		return fault.InvalidRequest.On("text").Detailf("text has 1 to %d characters.", MaxText)
	case strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }) < 0:
		return fault.InvalidRequest.On("text").Detailf("text is not only whitespace.")
	}
	return nil
}

// ReplyOptions are how a reply is sent.
type ReplyOptions struct {
	IdempotencyKey string // empty: none
	Source         message.Source
	Sandbox        bool // only simulate it
}

// Reply returns the request for a reply in a conversation. It is sent from the number
// that the contact wrote to, if the account still has it.
func Reply(a *account.Account, c *Conversation, text string, o ReplyOptions) *message.Request {
	r := &message.Request{
		To: c.Phone, Channel: gateway.WhatsApp, Content: message.Content{Text: text}, IdempotencyKey: o.IdempotencyKey, Source: o.Source, Sandbox: o.Sandbox,
	}
	for _, s := range a.Senders {
		if s.ID == c.SenderID {
			r.SenderID = s.ID
		}
	}
	return r
}
