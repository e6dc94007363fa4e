package griot

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
)

// Result is the state of a message when the service answered.
type Result struct {
	Answer
	MessageID       string        `json:"messageId"`
	NotifMessageID  string        `json:"notifMessageId"`
	Channel         Channel       `json:"channel"`
	To              string        `json:"to"`
	Status          MessageStatus `json:"status"` // Sent, Queued (it is stored, and on its way), Scheduled or Sandbox; of a replay, whatever it is
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
	out := &Result{IdempotencyKey: made.IdempotencyKey}
	if err := c.do(ctx, call{method: http.MethodPost, path: "/api/send", in: &made, key: made.IdempotencyKey}, out); err != nil {
		return nil, err
	}
	if m.IdempotencyKey == "" {
		out.Deduplicated = false // only this call's tries had the key
	}
	return out, nil
}

// newKey returns a random key.
func newKey() string { return "griot-go-" + rand.Text() }

// Batch is up to 100 messages.
type Batch struct {
	Messages        []*Message `json:"messages"`
	ContinueOnError bool       `json:"continueOnError,omitempty"` // go on with the others when one is refused
	Sandbox         bool       `json:"sandbox,omitempty"`         // only simulate all of them
	// IdempotencyKey makes it safe to send the same batch again. Messages without a
	// key of their own then have KEY:0, KEY:1 and so on; others may not be there.
	// Empty: a new one for each [Client.SendBatch], or one for each message where some have their own.
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// BatchResult is what became of a batch.
type BatchResult struct {
	Answer
	Success      bool        `json:"success"` // nothing failed
	Total        int         `json:"total"`
	Accepted     int         `json:"accepted"`
	Failed       int         `json:"failed"`
	Skipped      int         `json:"skipped"` // after one that failed, without ContinueOnError
	Results      []BatchItem `json:"results"` // in the order of the messages
	MessagesUsed int64       `json:"messagesUsed"`
	Limit        int64       `json:"limit"`    // the day's; 0: none
	Warnings     []Warning   `json:"warnings"` // what of the batch itself was ignored

	IdempotencyKey string `json:"-"` // under which it was sent; empty when the messages have their own
}

// BatchItem is what became of one message of a batch.
type BatchItem struct {
	Index           int           `json:"index"`
	Success         bool          `json:"success"`
	HTTPStatus      int           `json:"httpStatus"` // what it would have been answered alone
	MessageID       string        `json:"messageId"`
	NotifMessageID  string        `json:"notifMessageId"`
	Channel         Channel       `json:"channel"`
	To              string        `json:"to"`
	Status          MessageStatus `json:"status"`
	Deduplicated    bool          `json:"deduplicated"`
	PayloadMismatch bool          `json:"payloadMismatch"`
	Code            string        `json:"code"` // why it failed; "skipped" after one that did
	Message         string        `json:"message"`
	Field           string        `json:"field"`
	Warnings        []Warning     `json:"warnings"` // what of the message was ignored
}

// SendBatch sends up to 100 messages, each once, as [Client.Send] does. An error
// says that the batch as a whole was refused or got no answer; what became of each message is in the result.
func (c *Client) SendBatch(ctx context.Context, b *Batch) (*BatchResult, error) {
	made := *b
	if made.IdempotencyKey == "" {
		made.keys()
	}
	out := &BatchResult{IdempotencyKey: made.IdempotencyKey}
	if err := c.do(ctx, call{method: http.MethodPost, path: "/api/send/batch", in: &made, key: made.IdempotencyKey}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// keys gives the batch a key, or each message one where some have their own: the two don't go together.
func (b *Batch) keys() {
	own := false
	for _, m := range b.Messages {
		own = own || m.IdempotencyKey != ""
	}
	if !own {
		b.IdempotencyKey = newKey()
		return
	}
	messages := make([]*Message, len(b.Messages))
	for i, m := range b.Messages {
		with := *m
		if with.IdempotencyKey == "" {
			with.IdempotencyKey = newKey()
		}
		messages[i] = &with
	}
	b.Messages = messages
}

// Cancellation is a message that will not be sent.
type Cancellation struct {
	Answer
	MessageID string        `json:"messageId"`
	Status    MessageStatus `json:"status"`
}

// Cancel calls back a message that is Scheduled or Queued. To cancel twice is the
// same as once; a message that is past that point is an [*Error] with the code not_cancelable.
func (c *Client) Cancel(ctx context.Context, messageID string) (*Cancellation, error) {
	out := &Cancellation{}
	if err := c.do(ctx, call{method: http.MethodPost, path: "/api/messages/" + url.PathEscape(messageID) + "/cancel"}, out); err != nil {
		return nil, err
	}
	return out, nil
}
