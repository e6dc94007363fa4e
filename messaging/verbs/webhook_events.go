package verbs

import (
	"context"
	"time"

	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
)

// An Event is an event as operators see it, without its content.
type Event struct {
	ID          string     `json:"id" col:"EVENT"`
	Type        string     `json:"type" col:"TYPE"`
	CreatedAt   time.Time  `json:"createdAt" col:"AT"`
	Delivery    string     `json:"delivery" col:"DELIVERY"`
	FailedTries int        `json:"failedTries" col:"FAILED TRIES"`
	NextTryAt   *time.Time `json:"nextTryAt" col:"NEXT TRY"`
	DeliveredAt *time.Time `json:"deliveredAt" col:"DELIVERED"`
	FailedAt    *time.Time `json:"failedAt"`
}

func shownEvent(s *webhooks.Stored) Event {
	return Event{
		ID: s.ID, Type: s.Type, CreatedAt: s.At, Delivery: string(s.Delivery), FailedTries: s.Tries,
		NextTryAt: verb.TimeOrNull(s.NextTryAt), DeliveredAt: verb.TimeOrNull(s.DeliveredAt), FailedAt: verb.TimeOrNull(s.FailedAt),
	}
}

// WebhookEventsInput selects some of an account's events.
type WebhookEventsInput struct {
	OfAccount

	Delivery string `json:"delivery" flag:"delivery" oneof:"pending delivered failed not_sent" help:"state of the events: pending, delivered, failed, or not_sent"` // empty: all
	Before   string `json:"before" flag:"before" help:"last event of the previous page"`
	Limit    int    `json:"limit" flag:"limit" default:"50" help:"number of events, at most 1000"`
}

func (w *webhookOperations) events(ctx context.Context, a *account.Account, in *WebhookEventsInput) ([]Event, error) {
	switch {
	case in.Limit < 1 || in.Limit > maxListed:
		return nil, verb.Refuse("The limit must be 1 to %d.", maxListed)
	case in.Delivery != "" && !webhooks.Delivery(in.Delivery).Valid():
		return nil, verb.Refuse("The state must be pending, delivered, failed, or not_sent.")
	case in.Before != "" && !webhooks.ValidID(in.Before):
		return nil, noEvent()
	}
	f := &webhooks.Filter{AccountID: a.ID, Delivery: webhooks.Delivery(in.Delivery), Before: in.Before}
	out := []Event{}
	for {
		f.Limit = in.Limit - len(out)
		found, next, err := w.endpoints.Events(ctx, f)
		for _, s := range found {
			out = append(out, shownEvent(s))
		}
		if err != nil || next == "" || len(out) == in.Limit {
			return out, err
		}
		f.Before = next
	}
}

func noEvent() error { return verb.Refuse("The account doesn't have this event.") }

// EventInput identifies one of an account's events.
type EventInput struct {
	OfAccount

	ID string `json:"id" arg:"EVENT" help:"evt_..."`
}

// An Attempt is an attempt to deliver an event.
type Attempt struct {
	At        time.Time `json:"at" col:"AT"`
	Status    int       `json:"status" col:"STATUS"` // 0: no response
	LatencyMs int64     `json:"latencyMs" col:"MS"`
	Error     string    `json:"error,omitempty" col:"ERROR"`
	Answer    string    `json:"answer" col:"ANSWER,cut"`
}

// event returns one of an account's events.
func (w *webhookOperations) event(ctx context.Context, a *account.Account, eventID string) (*webhooks.Stored, error) {
	s, err := w.endpoints.Event(ctx, a.ID, eventID)
	if err == nil && s == nil {
		err = noEvent()
	}
	return s, err
}

func (w *webhookOperations) attempts(ctx context.Context, a *account.Account, in *EventInput) ([]Attempt, error) {
	if _, err := w.event(ctx, a, in.ID); err != nil {
		return nil, err
	}
	found, err := w.endpoints.Attempts(ctx, a.ID, in.ID)
	out := make([]Attempt, 0, len(found))
	for _, a := range found {
		out = append(out, Attempt{At: a.At, Status: a.Status, LatencyMs: a.Latency.Milliseconds(), Error: a.Error, Answer: a.Answer})
	}
	return out, err
}

func (w *webhookOperations) resend(ctx context.Context, a *account.Account, in *EventInput) (Event, error) {
	if _, err := w.event(ctx, a, in.ID); err != nil {
		return Event{}, err
	}
	if _, err := w.endpoints.Resend(ctx, a.ID, in.ID); err != nil {
		return Event{}, err
	}
	s, err := w.event(ctx, a, in.ID)
	if err != nil {
		return Event{}, err
	}
	return shownEvent(s), nil
}

// SinceInput selects an account's failed events since a time.
type SinceInput struct {
	OfAccount

	Since time.Time `json:"since" flag:"since,required" help:"resend events that happened at or after this time"`
}

// Resent is the number of events that are being delivered again.
type Resent struct {
	Resent int `json:"resent" row:"resent"`
}

func (w *webhookOperations) resendFailed(ctx context.Context, a *account.Account, in *SinceInput) (Resent, error) {
	if in.Since.Before(time.UnixMilli(0)) {
		in.Since = time.UnixMilli(0)
	}
	n, err := w.endpoints.ResendFailed(ctx, a.ID, in.Since)
	return Resent{n}, err
}

func (w *webhookOperations) ping(ctx context.Context, a *account.Account, _ *OfAccount) (Event, error) {
	p, err := w.endpoints.Ping(ctx, a.ID)
	if err != nil {
		return Event{}, err
	}
	s, err := w.endpoints.Event(ctx, a.ID, p.ID)
	if err != nil || s == nil {
		return Event{}, err
	}
	return shownEvent(s), nil
}
