package griot

import (
	"context"
	"net/http"
)

// Batch is up to 100 messages.
type Batch struct {
	Messages        []*Message `json:"messages"`
	ContinueOnError bool       `json:"continueOnError,omitempty"` // go on with the others when one is refused; what a gateway refuses later stops nothing anyway
	Sandbox         bool       `json:"sandbox,omitempty"`         // only simulate all of them
	// IdempotencyKey makes it safe to send the same batch again. Messages without a
	// key of their own then have KEY:0, KEY:1, and so on; others may not be there.
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
	out, err := fetch[BatchResult](ctx, c, call{method: http.MethodPost, path: "/api/send/batch", in: &made, key: made.IdempotencyKey})
	if err != nil {
		return nil, err
	}
	out.IdempotencyKey = made.IdempotencyKey
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
