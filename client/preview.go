package griot

import (
	"context"
	"errors"
	"net/http"
)

// ErrNoDryRun is returned when the service is older than dry runs: it took the message for a real one.
var ErrNoDryRun = errors.New("griot: the service knows no dry runs: it has taken the message")

// Preview is what would happen to a message.
type Preview struct {
	Answer
	DryRun       bool      `json:"dryRun"`
	Channel      Channel   `json:"channel"` // that would be tried first
	To           string    `json:"to"`
	Sandbox      bool      `json:"sandbox"`
	Characters   int       `json:"characters"`
	Segments     int       `json:"segments"` // how many SMS it takes; 0: it would not go by SMS
	Encoding     string    `json:"encoding"` // GSM-7 or UCS-2; empty likewise
	Route        []Route   `json:"route"`    // in the order in which they would be tried
	MessagesUsed int64     `json:"messagesUsed"`
	Limit        int64     `json:"limit"`     // the day's; 0: none
	Remaining    int64     `json:"remaining"` // of the day's quota, where there is a limit
	Warnings     []Warning `json:"warnings"`  // what of the message was ignored
}

// Route is by which channel and sender a message can go.
type Route struct {
	Channel  Channel `json:"channel"`
	SenderID string  `json:"senderId"`
	From     string  `json:"from"`
}

// Preview checks a message as [Client.Send] would, and returns what would happen to it. Nothing is stored, sent, or counted.
func (c *Client) Preview(ctx context.Context, m *Message) (*Preview, error) {
	dry := *m
	dry.DryRun = true
	if dry.IdempotencyKey == "" {
		dry.IdempotencyKey = newKey() // for a service that takes it for a real one
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
