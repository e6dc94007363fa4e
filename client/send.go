package griot

import (
	"context"
	"crypto/rand"
	"net/http"
)

// Result is the state of a message when the service answered.
type Result struct {
	Answer
	MessageID       string        `json:"messageId"`
	NotifMessageID  string        `json:"notifMessageId"`
	Channel         Channel       `json:"channel"`
	To              string        `json:"to"`
	Status          MessageStatus `json:"status"` // Sent, Queued (it is stored, and on its way), Scheduled, or Sandbox; of a replay, whatever it is
	MessagesUsed    int64         `json:"messagesUsed"`
	Limit           int64         `json:"limit"`           // the day's; 0: none
	Deduplicated    bool          `json:"deduplicated"`    // it had been sent before under IdempotencyKey
	PayloadMismatch bool          `json:"payloadMismatch"` // and was another one then
	DryRun          bool          `json:"dryRun"`          // nothing was stored; Raw has what would have happened
	Warnings        []Warning     `json:"warnings"`        // what of the message was ignored

	IdempotencyKey string `json:"-"` // under which it was sent
}

// Warning is a member of a request that the service ignored.
type Warning struct {
	Code    string `json:"code"` // unknown_member (the service may be older than this client), ignored_member
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Send sends one message, once: what the service cannot confirm is asked again under
// the message's idempotency key. The message is stored before Send returns a
// Result. A message that no gateway would take is an [*Error] with the code
// provider_error and the MessageID; message_failed says the same of an earlier try.
func (c *Client) Send(ctx context.Context, m *Message) (*Result, error) {
	made := *m
	if made.IdempotencyKey == "" {
		made.IdempotencyKey = newKey()
	}
	return c.accept(ctx, "/api/send", &made, made.IdempotencyKey, m.IdempotencyKey == "")
}

// accept has a message accepted under a key. Only this call's tries have a key of its own: what they find is not a replay.
func (c *Client) accept(ctx context.Context, path string, in any, key string, ownKey bool) (*Result, error) {
	out, err := fetch[Result](ctx, c, call{method: http.MethodPost, path: path, in: in, key: key})
	if err != nil {
		return nil, err
	}
	out.IdempotencyKey = key
	if ownKey {
		out.Deduplicated = false
	}
	return out, nil
}

// newKey returns a random key.
func newKey() string { return "griot-go-" + rand.Text() }

// Cancellation is a message that will not be sent.
type Cancellation struct {
	Answer
	MessageID string        `json:"messageId"`
	Status    MessageStatus `json:"status"`
}

// Cancel calls back a message that is Scheduled or Queued. To cancel twice is the
// same as once; a message that is past that point is an [*Error] with the code not_cancelable.
func (c *Client) Cancel(ctx context.Context, messageID string) (*Cancellation, error) {
	path, err := at("/api/messages/", "messageId", messageID, "/cancel")
	if err != nil {
		return nil, err
	}
	return fetch[Cancellation](ctx, c, call{method: http.MethodPost, path: path})
}
