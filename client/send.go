package griot

import (
	"context"
	"crypto/rand"
	"net/http"
)

// A Result is the state of a message when the service responded.
type Result struct {
	Answer
	MessageID       string        `json:"messageId"`
	NotifMessageID  string        `json:"notifMessageId"`
	Channel         Channel       `json:"channel"`
	To              string        `json:"to"`
	Status          MessageStatus `json:"status"` // Sent, Queued, Scheduled, or Sandbox; for a repeated request, the current status
	MessagesUsed    int64         `json:"messagesUsed"`
	Limit           int64         `json:"limit"`           // the daily quota; 0: unlimited
	Deduplicated    bool          `json:"deduplicated"`    // a message was already sent with IdempotencyKey
	PayloadMismatch bool          `json:"payloadMismatch"` // the earlier message was different
	DryRun          bool          `json:"dryRun"`          // nothing was stored; Raw contains the expected result
	Warnings        []Warning     `json:"warnings"`        // ignored and doubtful fields of the message

	IdempotencyKey string `json:"-"` // the key of the request
}

// A Warning reports a field of a request that the service ignored or finds doubtful.
type Warning struct {
	Code    string `json:"code"` // unknown_member (the service might be older than this client), ignored_member, or unknown_length (of the number)
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Send sends one message, once. If the response is lost, it retries with the message's idempotency key. The message
// is stored when Send returns a Result. If no gateway accepts the message, Send returns an [*Error] with the code
// provider_error and the MessageID. The code is message_failed if an earlier try had this result.
func (c *Client) Send(ctx context.Context, m *Message) (*Result, error) {
	made := *m
	if made.IdempotencyKey == "" {
		made.IdempotencyKey = newKey()
	}
	return c.accept(ctx, "/api/send", &made, made.IdempotencyKey, m.IdempotencyKey == "")
}

// accept sends a request that creates a message with the given key. If ownKey is set, only the tries of this call use
// the key, so an existing message is not reported as a duplicate.
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

// newKey returns a random idempotency key.
func newKey() string { return "griot-go-" + rand.Text() }

// A Cancellation is a message that was canceled.
type Cancellation struct {
	Answer
	MessageID string        `json:"messageId"`
	Status    MessageStatus `json:"status"`
}

// Cancel cancels a message that is Scheduled or Queued. Canceling twice has the same result as canceling once. For a
// message with another status, it returns an [*Error] with the code not_cancelable.
func (c *Client) Cancel(ctx context.Context, messageID string) (*Cancellation, error) {
	path, err := at("/api/messages/", "messageId", messageID, "/cancel")
	if err != nil {
		return nil, err
	}
	return fetch[Cancellation](ctx, c, call{method: http.MethodPost, path: path})
}
