package griot

import (
	"context"
	"net/http"
	"time"
)

// SenderState is the state of a sender's connection.
type SenderState string

// The states.
const (
	Disconnected SenderState = "disconnected"
	Pairing      SenderState = "pairing"
	Connecting   SenderState = "connecting"
	Connected    SenderState = "connected"
	Restricted   SenderState = "restricted"
	LoggedOut    SenderState = "logged_out"
	Banned       SenderState = "banned"
	Outdated     SenderState = "outdated"
)

// Sender is a number or an address that the account sends from. Times that have not come are zero.
type Sender struct {
	ID       string       `json:"id"`
	Channel  Channel      `json:"channel"`
	Address  string       `json:"address"`
	Gateway  string       `json:"gateway"`
	Platform bool         `json:"platform"` // it is every account's
	State    SenderState  `json:"state"`
	Reason   string       `json:"reason"` // why, as a code
	Until    time.Time    `json:"until"`  // when the state is expected to end
	Since    time.Time    `json:"since"`
	PausedAt time.Time    `json:"pausedAt"`
	Health   SenderHealth `json:"health"`
	WarmUp   *WarmUp      `json:"warmUp"` // nil: it has no limit of its own
}

// SenderHealth is what messages have shown of a sender.
type SenderHealth struct {
	LastAcknowledgedAt  time.Time `json:"lastAcknowledgedAt"`
	LastFailureAt       time.Time `json:"lastFailureAt"`
	ConsecutiveFailures int       `json:"consecutiveFailures"`
	RestingUntil        time.Time `json:"restingUntil"`
}

// WarmUp is how much a new sender may send today.
type WarmUp struct {
	Limit  int64     `json:"limit"`
	Used   int64     `json:"used"`
	EndsAt time.Time `json:"endsAt"` // when there is no limit any more
}

// SenderPage is all senders, in the order in which they are tried.
type SenderPage struct {
	Answer
	Senders []Sender `json:"senders"`
	Count   int      `json:"count"`
}

// Senders lists the account's senders, then the platform's. It takes a live key.
func (c *Client) Senders(ctx context.Context) (*SenderPage, error) {
	return get[SenderPage](ctx, c, "/api/senders", nil)
}

// SenderDetail is a sender with what waits for it.
type SenderDetail struct {
	Answer
	Sender      Sender        `json:"sender"`
	Queue       *SenderQueue  `json:"queue"`       // nil for the platform's senders
	LastFailure *LastFailure  `json:"lastFailure"` // nil: none
	History     []StateChange `json:"history"`     // the newest first
}

// SenderQueue is how many messages wait for a sender.
type SenderQueue struct {
	Ready int `json:"ready"` // for their turn
	Later int `json:"later"` // for their time
}

// LastFailure is the latest message that failed by a sender.
type LastFailure struct {
	MessageID string    `json:"messageId"`
	At        time.Time `json:"at"`
	Error     *Failure  `json:"error"`
}

// StateChange is a state that a sender's connection had.
type StateChange struct {
	State  SenderState `json:"state"`
	Reason string      `json:"reason"`
	Until  time.Time   `json:"until"`
	At     time.Time   `json:"at"` // since when it was so
}

// Sender returns one sender. It takes a live key.
func (c *Client) Sender(ctx context.Context, senderID string) (*SenderDetail, error) {
	return c.sender(ctx, http.MethodGet, senderID, "")
}

// PauseSender has a sender send nothing until it is resumed. It takes a live key.
func (c *Client) PauseSender(ctx context.Context, senderID string) (*SenderDetail, error) {
	return c.sender(ctx, http.MethodPost, senderID, "/pause")
}

// ResumeSender has a paused sender send again, what has waited first. It takes a live key.
func (c *Client) ResumeSender(ctx context.Context, senderID string) (*SenderDetail, error) {
	return c.sender(ctx, http.MethodPost, senderID, "/resume")
}

func (c *Client) sender(ctx context.Context, method, senderID, do string) (*SenderDetail, error) {
	path, err := at("/api/senders/", "id", senderID, do)
	if err != nil {
		return nil, err
	}
	return fetch[SenderDetail](ctx, c, call{method: method, path: path})
}
