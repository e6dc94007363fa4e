package griot

import (
	"context"
	"net/http"
	"time"
)

// A SenderState is the state of a sender's connection.
type SenderState string

// The states of a sender.
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

// A Sender is a number or an address that the account sends from. Unknown times are zero.
type Sender struct {
	ID       string       `json:"id"`
	Channel  Channel      `json:"channel"`
	Address  string       `json:"address"`
	Gateway  string       `json:"gateway"`
	Platform bool         `json:"platform"` // shared by all accounts
	State    SenderState  `json:"state"`
	Reason   string       `json:"reason"` // the reason for the state, as a code
	Until    time.Time    `json:"until"`  // expected end of the state
	Since    time.Time    `json:"since"`
	PausedAt time.Time    `json:"pausedAt"`
	Health   SenderHealth `json:"health"`
	WarmUp   *WarmUp      `json:"warmUp"` // nil: no warm-up limit
}

// SenderHealth summarizes the results of a sender's messages.
type SenderHealth struct {
	LastAcknowledgedAt  time.Time `json:"lastAcknowledgedAt"`
	LastFailureAt       time.Time `json:"lastFailureAt"`
	ConsecutiveFailures int       `json:"consecutiveFailures"`
	RestingUntil        time.Time `json:"restingUntil"`
}

// A WarmUp is the daily limit of a new sender.
type WarmUp struct {
	Limit  int64     `json:"limit"`
	Used   int64     `json:"used"`
	EndsAt time.Time `json:"endsAt"` // end of the limit
}

// A SenderPage lists all senders, in the order in which they are tried.
type SenderPage struct {
	Answer
	Senders []Sender `json:"senders"`
	Count   int      `json:"count"`
}

// Senders lists the account's senders, followed by the platform's. It requires a live key.
func (c *Client) Senders(ctx context.Context) (*SenderPage, error) {
	return get[SenderPage](ctx, c, "/api/senders", nil)
}

// A SenderDetail is a sender with its queue and its history.
type SenderDetail struct {
	Answer
	Sender      Sender        `json:"sender"`
	Queue       *SenderQueue  `json:"queue"`       // nil for the senders of the platform
	LastFailure *LastFailure  `json:"lastFailure"` // nil: none
	History     []StateChange `json:"history"`     // newest first
}

// A SenderQueue is the number of messages that wait for a sender.
type SenderQueue struct {
	Ready int `json:"ready"` // ready to be sent
	Later int `json:"later"` // scheduled for later
}

// A LastFailure is the latest message of a sender that failed.
type LastFailure struct {
	MessageID string    `json:"messageId"`
	At        time.Time `json:"at"`
	Error     *Failure  `json:"error"`
}

// A StateChange is a past state of a sender's connection.
type StateChange struct {
	State  SenderState `json:"state"`
	Reason string      `json:"reason"`
	Until  time.Time   `json:"until"`
	At     time.Time   `json:"at"` // the start of the state
}

// Sender returns one sender. It requires a live key.
func (c *Client) Sender(ctx context.Context, senderID string) (*SenderDetail, error) {
	return c.sender(ctx, http.MethodGet, senderID, "")
}

// PauseSender stops a sender until it is resumed. It requires a live key.
func (c *Client) PauseSender(ctx context.Context, senderID string) (*SenderDetail, error) {
	return c.sender(ctx, http.MethodPost, senderID, "/pause")
}

// ResumeSender resumes a paused sender, which sends its queued messages first. It requires a live key.
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
