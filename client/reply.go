package griot

import (
	"context"
)

// A Reply is a text for the contact of a conversation.
type Reply struct {
	Text    string `json:"text"`
	ReplyTo string `json:"replyTo,omitempty"` // the ID of the message that this one replies to; the contact's phone shows it above the reply
	Sandbox bool   `json:"sandbox,omitempty"` // simulate the message

	IdempotencyKey string `json:"idempotencyKey,omitempty"` // empty: a new key
}

// Reply sends a text on WhatsApp, once, from the number that the contact wrote to last. It behaves like [Client.Send].
func (c *Client) Reply(ctx context.Context, conversationID string, r *Reply) (*Result, error) {
	path, err := at("/api/inbox/conversations/", "id", conversationID, "/reply")
	if err != nil {
		return nil, err
	}
	made := *r
	if made.IdempotencyKey == "" {
		made.IdempotencyKey = newKey()
	}
	return c.accept(ctx, path, &made, made.IdempotencyKey, r.IdempotencyKey == "")
}
