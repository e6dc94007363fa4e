package griot

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// A Webhook is the state of the account's webhook endpoint. Times that are not reached are zero.
type Webhook struct {
	URL                 string    `json:"url"`
	Enabled             bool      `json:"enabled"` // while it is false, events are queued
	DisabledAt          time.Time `json:"disabledAt"`
	DisabledReason      string    `json:"disabledReason"` // gone, failing, or operator
	PausedUntil         time.Time `json:"pausedUntil"`
	FailingSince        time.Time `json:"failingSince"`
	LastSuccessAt       time.Time `json:"lastSuccessAt"`
	LastFailureAt       time.Time `json:"lastFailureAt"`
	LastStatusCode      int       `json:"lastStatusCode"` // 0: none
	Pending             int       `json:"pending"`        // number of queued events; 1001 means more than 1000
	ReadReceipts        bool      `json:"readReceipts"`   // whether the endpoint gets events for read messages
	PreviousSecretUntil time.Time `json:"previousSecretUntil"`
}

// A WebhookResult is the account's webhook endpoint.
type WebhookResult struct {
	Answer
	Webhook *Webhook `json:"webhook"` // nil: the account has no endpoint
}

// Webhook returns the state of the account's endpoint. Like all webhook methods, it requires a live key.
func (c *Client) Webhook(ctx context.Context) (*WebhookResult, error) {
	return get[WebhookResult](ctx, c, "/api/webhooks", nil)
}

// A WebhookChange is the account's webhook endpoint after [Client.SetWebhook].
type WebhookChange struct {
	Answer
	Webhook *Webhook `json:"webhook"` // nil: the account has no endpoint
	Secret  string   `json:"secret"`  // signs the events; empty: the account has had a secret before
}

// SetWebhook sets the URL of the account's endpoint and enables it, or removes the endpoint if url is empty. The operator
// must have enabled this; otherwise, the error is [ErrMethodNotAllowed]. It does not retry if the response is lost,
// because only that response has a new secret. In this case, use [Client.RotateWebhookSecret].
func (c *Client) SetWebhook(ctx context.Context, url string) (*WebhookChange, error) {
	in := struct {
		URL string `json:"url"`
	}{url}
	return fetch[WebhookChange](ctx, c, call{method: http.MethodPut, path: "/api/webhooks", in: &in, once: true})
}

// A WebhookSecret is the new secret that signs events.
type WebhookSecret struct {
	Answer
	Secret              string    `json:"secret"`
	PreviousSecretUntil time.Time `json:"previousSecretUntil"` // the previous secret also signs until then
}

// RotateWebhookSecret replaces the secret that signs the account's events. The operator must have enabled this;
// otherwise, the error is [ErrNotFound].
func (c *Client) RotateWebhookSecret(ctx context.Context) (*WebhookSecret, error) {
	return fetch[WebhookSecret](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/rotate-secret"})
}

// EnableWebhook enables the endpoint again, unless an operator has disabled it.
func (c *Client) EnableWebhook(ctx context.Context) (*WebhookResult, error) {
	return fetch[WebhookResult](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/enable"})
}

// A WebhookEventFilter selects events. A zero field does not filter.
type WebhookEventFilter struct {
	Delivery string // pending, delivered, failed, or not_sent
	Limit    int
	Cursor   string // NextCursor of the previous page
}

// A WebhookEvent is an event with the state of its delivery.
type WebhookEvent struct {
	EventID     string    `json:"eventId"`
	Type        string    `json:"type"`
	CreatedAt   time.Time `json:"createdAt"`
	Delivery    string    `json:"delivery"` // pending, delivered, failed (no more attempts), or not_sent
	FailedTries int       `json:"failedTries"`
	NextTryAt   time.Time `json:"nextTryAt"`
	DeliveredAt time.Time `json:"deliveredAt"`
	FailedAt    time.Time `json:"failedAt"`
}

// A WebhookEventPage is a page of events, newest first.
type WebhookEventPage struct {
	Answer
	Events     []WebhookEvent `json:"events"`
	Count      int            `json:"count"`
	NextCursor string         `json:"nextCursor"` // empty: last page
}

// WebhookEvents lists the account's events. With Delivery, a page can be short or empty although more pages follow.
func (c *Client) WebhookEvents(ctx context.Context, f WebhookEventFilter) (*WebhookEventPage, error) {
	return get[WebhookEventPage](ctx, c, "/api/webhooks/events", query{}.text("delivery", f.Delivery).number("limit", f.Limit).text("cursor", f.Cursor))
}

// AllWebhookEvents iterates over the events on all pages of [Client.WebhookEvents].
func (c *Client) AllWebhookEvents(ctx context.Context, f WebhookEventFilter) iter.Seq2[WebhookEvent, error] {
	return pages(f.Cursor, func(cursor string) ([]WebhookEvent, string, error) {
		f.Cursor = cursor
		page, err := c.WebhookEvents(ctx, f)
		if err != nil {
			return nil, "", err
		}
		return page.Events, page.NextCursor, nil
	})
}

// A WebhookEventDetail is an event with its body and its delivery attempts.
type WebhookEventDetail struct {
	Answer
	WebhookEvent
	Body     string           `json:"body"`     // the signed bytes
	Attempts []WebhookAttempt `json:"attempts"` // latest first
}

// A WebhookAttempt is one attempt to deliver an event.
type WebhookAttempt struct {
	At         time.Time `json:"at"`
	StatusCode int       `json:"statusCode"` // 0: no response
	LatencyMs  int64     `json:"latencyMs"`
	Error      string    `json:"error"`  // the reason for the failure; empty: success
	Body       string    `json:"answer"` // the first KiB of the response
}

// WebhookEvent returns one event.
func (c *Client) WebhookEvent(ctx context.Context, eventID string) (*WebhookEventDetail, error) {
	path, err := at("/api/webhooks/events/", "eventId", eventID, "")
	if err != nil {
		return nil, err
	}
	return get[WebhookEventDetail](ctx, c, path, nil)
}

// A ResendResult is an event that is being delivered again.
type ResendResult struct {
	Answer
	WebhookEvent
}

// ResendWebhookEvent delivers an event again, with the same ID. It does not retry if the response is lost.
func (c *Client) ResendWebhookEvent(ctx context.Context, eventID string) (*ResendResult, error) {
	path, err := at("/api/webhooks/events/", "eventId", eventID, "/resend")
	if err != nil {
		return nil, err
	}
	return fetch[ResendResult](ctx, c, call{method: http.MethodPost, path: path, once: true})
}

// ResentEvents is the number of events that are being delivered again.
type ResentEvents struct {
	Answer
	Resent int `json:"resent"`
}

// ResendFailedWebhookEvents delivers again all events since a time whose delivery has failed.
func (c *Client) ResendFailedWebhookEvents(ctx context.Context, since time.Time) (*ResentEvents, error) {
	in := struct {
		Since time.Time `json:"since"`
	}{since}
	return fetch[ResentEvents](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/resend-failed", in: &in})
}

// A PingResult is an event that tests the endpoint.
type PingResult struct {
	Answer
	EventID string `json:"eventId"`
}

// PingWebhook sends a webhook.ping event to the endpoint. It does not retry if the response is lost.
func (c *Client) PingWebhook(ctx context.Context) (*PingResult, error) {
	return fetch[PingResult](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/ping", once: true})
}
