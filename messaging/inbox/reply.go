package inbox

import (
	"cmp"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// MaxText is the maximum length of a reply, in characters.
const MaxText = 4096 // M132

// CheckText checks a reply's text: 1 to 4096 characters, not only whitespace.
func CheckText(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n < 1 || n > MaxText:
		return apierror.InvalidRequest.On("text").Detailf("text must have 1 to %d characters.", MaxText)
	case strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }) < 0:
		return apierror.InvalidRequest.On("text").Detailf("text can't be only whitespace.")
	}
	return nil
}

// ReplyOptions are the options of a reply.
type ReplyOptions struct {
	IdempotencyKey string // empty: none
	ReplyTo        string // the message of the conversation that it replies to; empty: none
	Source         message.Source
	Sandbox        bool  // simulate it
	Wrong          error // an error that the caller has found in a value ([message.Request]); nil: none
}

// Reply returns the request for a reply in a conversation of the account. The reply is sent from the number that the contact wrote
// to last, or from that of the message that it replies to, if the account still has the number. An invalid text or
// replyTo is set as Wrong in the request, because a replay must be handled first (M74).
//
// Errors: conversation_not_found.
func (b *Inbox) Reply(ctx context.Context, by *account.Caller, conversationID, text string, o ReplyOptions) (*message.Request, error) {
	if err := b.check(by, account.MayReply); err != nil {
		return nil, err
	}
	c, err := b.conversation(ctx, by.Account.ID, conversationID)
	if err != nil {
		return nil, err
	}
	r := &message.Request{
		To: c.Address(), Channel: gateway.WhatsApp, Content: message.Content{Text: text}, ReplyTo: o.ReplyTo, IdempotencyKey: o.IdempotencyKey, Source: o.Source, Sandbox: o.Sandbox,
		Wrong: cmp.Or(o.Wrong, CheckText(text)),
	}
	from := c.SenderID
	if o.ReplyTo != "" {
		sender, err := senderOf(b.o.DB.Read(ctx), c.ID, o.ReplyTo)
		if err != nil {
			return nil, err
		}
		if from = sender; sender == "" {
			r.Wrong = cmp.Or[error](r.Wrong, apierror.InvalidRequest.On("replyTo").Detailf("replyTo must be the ID of a message in this conversation."))
		}
	}
	for _, s := range by.Account.Senders {
		if s.ID == from {
			r.SenderID = s.ID
		}
	}
	return r, nil
}
