package griot

import (
	"context"
	"net/http"
)

// A Batch is a request that sends up to 100 messages.
type Batch struct {
	Messages        []*Message `json:"messages"`
	ContinueOnError bool       `json:"continueOnError,omitempty"` // continue after a message is refused; later failures at a gateway never stop a batch
	Sandbox         bool       `json:"sandbox,omitempty"`         // simulate all messages
	// IdempotencyKey makes it safe to send the same batch again. Messages without a key of their own then have the
	// keys KEY:0, KEY:1, and so on; in this case, no message can have its own key. If the field is empty, each
	// [Client.SendBatch] creates a new key. If some messages have their own keys, it creates one for each other
	// message instead.
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// A BatchResult is the result of a batch.
type BatchResult struct {
	Answer
	Success      bool        `json:"success"` // no message failed
	Total        int         `json:"total"`
	Accepted     int         `json:"accepted"`
	Failed       int         `json:"failed"`
	Skipped      int         `json:"skipped"` // messages not sent because an earlier one failed, without ContinueOnError
	Results      []BatchItem `json:"results"` // one per message, in their order
	MessagesUsed int64       `json:"messagesUsed"`
	Limit        int64       `json:"limit"`    // the daily quota; 0: unlimited
	Warnings     []Warning   `json:"warnings"` // ignored fields of the batch itself

	IdempotencyKey string `json:"-"` // the key of the request; empty if the messages have their own keys
}

// A BatchItem is the result for one message of a batch.
type BatchItem struct {
	Index           int           `json:"index"`
	Success         bool          `json:"success"`
	HTTPStatus      int           `json:"httpStatus"` // the status of the response if the message had been sent alone
	MessageID       string        `json:"messageId"`
	NotifMessageID  string        `json:"notifMessageId"`
	Channel         Channel       `json:"channel"`
	To              string        `json:"to"`
	Status          MessageStatus `json:"status"`
	Deduplicated    bool          `json:"deduplicated"`
	PayloadMismatch bool          `json:"payloadMismatch"`
	Code            string        `json:"code"` // the reason for the failure; "skipped" if an earlier message failed
	Message         string        `json:"message"`
	Field           string        `json:"field"`
	Warnings        []Warning     `json:"warnings"` // ignored fields of the message
}

// SendBatch sends up to 100 messages, each once, as [Client.Send] does. It returns an error if the service refused
// the whole batch or did not respond. The results of the single messages are in [BatchResult.Results].
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

// keys sets the key of the batch. If some messages have their own keys, it sets a key for each of the others instead,
// because a batch with a key cannot contain messages with keys.
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
