package griot

import (
	"context"
)

// Reply is a text for the contact of a conversation.
type Reply struct {
	Text    string `json:"text"`
	ReplyTo string `json:"replyTo,omitempty"` // the id of the message that it answers, which the contact's phone shows above it
	Sandbox bool   `json:"sandbox,omitempty"` // only simulate it

	IdempotencyKey string `json:"idempotencyKey,omitempty"` // empty: a new one
}

// Reply sends a text on WhatsApp, once, from the number that the contact wrote to last. It is a message as [Client.Send]
// sends it.
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
