package griot

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Webhook is how the account's endpoint does. Times that have not come are zero.
type Webhook struct {
	URL                 string    `json:"url"`
	Enabled             bool      `json:"enabled"` // while it is not, events wait
	DisabledAt          time.Time `json:"disabledAt"`
	DisabledReason      string    `json:"disabledReason"` // gone, failing, or operator
	PausedUntil         time.Time `json:"pausedUntil"`
	FailingSince        time.Time `json:"failingSince"`
	LastSuccessAt       time.Time `json:"lastSuccessAt"`
	LastFailureAt       time.Time `json:"lastFailureAt"`
	LastStatusCode      int       `json:"lastStatusCode"` // 0: none
	Pending             int       `json:"pending"`        // how many events wait; 1001 for more than a thousand
	ReadReceipts        bool      `json:"readReceipts"`   // whether there are events of messages that were read
	PreviousSecretUntil time.Time `json:"previousSecretUntil"`
}

// WebhookResult is the account's endpoint.
type WebhookResult struct {
	Answer
	Webhook *Webhook `json:"webhook"` // nil: the account has none
}

// Webhook returns how the account's endpoint does. It takes a live key, as all about webhooks does.
func (c *Client) Webhook(ctx context.Context) (*WebhookResult, error) {
	return get[WebhookResult](ctx, c, "/api/webhooks", nil)
}

// EnableWebhook switches the endpoint on again, if an operator has not switched it off.
func (c *Client) EnableWebhook(ctx context.Context) (*WebhookResult, error) {
	return fetch[WebhookResult](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/enable"})
}

// WebhookEventFilter says which events to list; a zero member filters nothing.
type WebhookEventFilter struct {
	Delivery string // pending, delivered, failed, or not_sent
	Limit    int
	Cursor   string // NextCursor of the page before
}

// WebhookEvent is an event and what has become of its delivery.
type WebhookEvent struct {
	EventID     string    `json:"eventId"`
	Type        string    `json:"type"`
	CreatedAt   time.Time `json:"createdAt"`
	Delivery    string    `json:"delivery"` // pending, delivered, failed (given up), or not_sent
	FailedTries int       `json:"failedTries"`
	NextTryAt   time.Time `json:"nextTryAt"`
	DeliveredAt time.Time `json:"deliveredAt"`
	FailedAt    time.Time `json:"failedAt"`
}

// WebhookEventPage is a page of events, the newest first.
type WebhookEventPage struct {
	Answer
	Events     []WebhookEvent `json:"events"`
	Count      int            `json:"count"`
	NextCursor string         `json:"nextCursor"` // empty: this is the last page
}

// WebhookEvents lists the account's events. With Delivery, a page may be short or empty and not the last.
func (c *Client) WebhookEvents(ctx context.Context, f WebhookEventFilter) (*WebhookEventPage, error) {
	return get[WebhookEventPage](ctx, c, "/api/webhooks/events", query{}.text("delivery", f.Delivery).number("limit", f.Limit).text("cursor", f.Cursor))
}

// AllWebhookEvents iterates over [Client.WebhookEvents], page after page.
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

// WebhookEventDetail is one event, with what is sent and each try.
type WebhookEventDetail struct {
	Answer
	WebhookEvent
	Body     string           `json:"body"`     // these bytes are signed
	Attempts []WebhookAttempt `json:"attempts"` // the latest first
}

// WebhookAttempt is one try to deliver an event.
type WebhookAttempt struct {
	At         time.Time `json:"at"`
	StatusCode int       `json:"statusCode"` // 0: there was no answer
	LatencyMs  int64     `json:"latencyMs"`
	Error      string    `json:"error"`  // why it failed; empty: it did not
	Body       string    `json:"answer"` // the first KiB of the answer
}

// WebhookEvent returns one event.
func (c *Client) WebhookEvent(ctx context.Context, eventID string) (*WebhookEventDetail, error) {
	path, err := at("/api/webhooks/events/", "eventId", eventID, "")
	if err != nil {
		return nil, err
	}
	return get[WebhookEventDetail](ctx, c, path, nil)
}

// ResendResult is an event that is delivered again.
type ResendResult struct {
	Answer
	WebhookEvent
}

// ResendWebhookEvent delivers an event again, under the same id. It is not asked again when its answer is lost.
func (c *Client) ResendWebhookEvent(ctx context.Context, eventID string) (*ResendResult, error) {
	path, err := at("/api/webhooks/events/", "eventId", eventID, "/resend")
	if err != nil {
		return nil, err
	}
	return fetch[ResendResult](ctx, c, call{method: http.MethodPost, path: path, once: true})
}

// ResentEvents is how many events are delivered again.
type ResentEvents struct {
	Answer
	Resent int `json:"resent"`
}

// ResendFailedWebhookEvents delivers again what was given up, of the events since a time.
func (c *Client) ResendFailedWebhookEvents(ctx context.Context, since time.Time) (*ResentEvents, error) {
	in := struct {
		Since time.Time `json:"since"`
	}{since}
	return fetch[ResentEvents](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/resend-failed", in: &in})
}

// PingResult is an event that tries the endpoint.
type PingResult struct {
	Answer
	EventID string `json:"eventId"`
}

// PingWebhook sends the endpoint a webhook.ping. It is not asked again when its answer is lost.
func (c *Client) PingWebhook(ctx context.Context) (*PingResult, error) {
	return fetch[PingResult](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/ping", once: true})
}
