package griot

import (
	"context"
	"errors"
	"net/http"
)

// ErrNoDryRun reports that the service does not support dry runs because it is too old. It has sent the message.
var ErrNoDryRun = errors.New("griot: the service knows no dry runs: it has taken the message")

// A Preview is the expected result of sending a message.
type Preview struct {
	Answer
	DryRun       bool      `json:"dryRun"`
	Channel      Channel   `json:"channel"` // the channel that would be tried first
	To           string    `json:"to"`
	Sandbox      bool      `json:"sandbox"`
	Characters   int       `json:"characters"`
	Segments     int       `json:"segments"` // number of SMS segments; 0: the message would not be sent by SMS
	Encoding     string    `json:"encoding"` // GSM-7 or UCS-2; empty: the message would not be sent by SMS
	Route        []Route   `json:"route"`    // in the order of the attempts
	MessagesUsed int64     `json:"messagesUsed"`
	Limit        int64     `json:"limit"`     // the daily quota; 0: unlimited
	Remaining    int64     `json:"remaining"` // the remaining daily quota, if there is a limit
	Warnings     []Warning `json:"warnings"`  // ignored fields of the message
}

// A Route is a channel and a sender that a message can be sent with.
type Route struct {
	Channel  Channel `json:"channel"`
	SenderID string  `json:"senderId"`
	From     string  `json:"from"`
}

// Preview checks a message as [Client.Send] does and returns the expected result. Nothing is stored, sent, or counted.
func (c *Client) Preview(ctx context.Context, m *Message) (*Preview, error) {
	dry := *m
	dry.DryRun = true
	if dry.IdempotencyKey == "" {
		dry.IdempotencyKey = newKey() // in case the service does not support dry runs and sends the message
	}
	out, err := fetch[Preview](ctx, c, call{method: http.MethodPost, path: "/api/send", in: &dry, key: dry.IdempotencyKey})
	if err != nil {
		return nil, err
	}
	if !out.DryRun {
		return nil, ErrNoDryRun
	}
	return out, nil
}
