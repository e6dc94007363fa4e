package admin

import (
	"context"
	"time"

	"example.com/griot/internal/admin"
	"example.com/griot/messaging/events"
)

// Event is an event as operators see it: nothing of what it says.
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

func shownEvent(s *events.Stored) Event {
	return Event{
		ID: s.ID, Type: s.Type, CreatedAt: s.At, Delivery: string(s.Delivery), FailedTries: s.Tries,
		NextTryAt: timeOrNull(s.NextTryAt), DeliveredAt: timeOrNull(s.DeliveredAt), FailedAt: timeOrNull(s.FailedAt),
	}
}

// WebhookEventsInput selects some of an account's events.
type WebhookEventsInput struct {
	Account  string `json:"account" flag:"account,required" help:"an account's id, or its owner's e-mail address"`
	Delivery string `json:"delivery" flag:"delivery" oneof:"pending delivered failed not_sent" help:"only those: pending, delivered, failed, not_sent"` // empty: all
	Before   string `json:"before" flag:"before" help:"the last event of the page before"`
	Limit    int    `json:"limit" flag:"limit" default:"50" help:"how many"`
}

func (w *webhooks) events(ctx context.Context, in *WebhookEventsInput) ([]Event, error) {
	switch {
	case in.Limit < 1 || in.Limit > maxListed:
		return nil, admin.Refuse("The limit is 1 to %d.", maxListed)
	case in.Delivery != "" && !events.Delivery(in.Delivery).Valid():
		return nil, admin.Refuse("The state is one of pending, delivered, failed, not_sent.")
	case in.Before != "" && !events.ValidID(in.Before):
		return nil, noEvent()
	}
	accountID, err := w.find(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	f := &events.Filter{AccountID: accountID, Delivery: events.Delivery(in.Delivery), Before: in.Before}
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

func noEvent() error { return admin.Refuse("The account has no such event.") }

// EventInput names one of an account's events.
type EventInput struct {
	Account string `json:"account" flag:"account,required" help:"an account's id, or its owner's e-mail address"`
	ID      string `json:"id" arg:"EVENT" help:"evt_..."`
}

// Attempt is an attempt to deliver an event.
type Attempt struct {
	At        time.Time `json:"at" col:"AT"`
	Status    int       `json:"status" col:"STATUS"` // 0: no answer
	LatencyMs int64     `json:"latencyMs" col:"MS"`
	Error     string    `json:"error,omitempty" col:"ERROR"`
	Answer    string    `json:"answer" col:"ANSWER,cut"`
}

// event returns an account's id and one of its events.
func (w *webhooks) event(ctx context.Context, in *EventInput) (accountID string, s *events.Stored, err error) {
	if accountID, err = w.find(ctx, in.Account); err != nil {
		return "", nil, err
	}
	s, err = w.endpoints.Event(ctx, accountID, in.ID)
	if err == nil && s == nil {
		err = noEvent()
	}
	return accountID, s, err
}

func (w *webhooks) attempts(ctx context.Context, in *EventInput) ([]Attempt, error) {
	accountID, _, err := w.event(ctx, in)
	if err != nil {
		return nil, err
	}
	found, err := w.endpoints.Attempts(ctx, accountID, in.ID)
	out := make([]Attempt, 0, len(found))
	for _, a := range found {
		out = append(out, Attempt{At: a.At, Status: a.Status, LatencyMs: a.Latency.Milliseconds(), Error: a.Error, Answer: a.Answer})
	}
	return out, err
}

func (w *webhooks) resend(ctx context.Context, in *EventInput) (Event, error) {
	accountID, _, err := w.event(ctx, in)
	if err == nil {
		_, err = w.endpoints.Resend(ctx, accountID, in.ID)
	}
	if err != nil {
		return Event{}, err
	}
	_, s, err := w.event(ctx, in)
	if err != nil {
		return Event{}, err
	}
	return shownEvent(s), nil
}

// SinceInput selects an account's failed events since a time.
type SinceInput struct {
	Account string    `json:"account" flag:"account,required" help:"an account's id, or its owner's e-mail address"`
	Since   time.Time `json:"since" flag:"since,required" help:"when the events happened, or later"`
}

// Resent is the number of events that are delivered again.
type Resent struct {
	Resent int `json:"resent" row:"resent"`
}

func (w *webhooks) resendFailed(ctx context.Context, in *SinceInput) (Resent, error) {
	accountID, err := w.find(ctx, in.Account)
	if err != nil {
		return Resent{}, err
	}
	if in.Since.Before(time.UnixMilli(0)) {
		in.Since = time.UnixMilli(0)
	}
	n, err := w.endpoints.ResendFailed(ctx, accountID, in.Since)
	return Resent{n}, err
}

func (w *webhooks) ping(ctx context.Context, in *OfAccount) (Event, error) {
	accountID, err := w.find(ctx, in.Account)
	if err != nil {
		return Event{}, err
	}
	p, err := w.endpoints.Ping(ctx, accountID)
	if err != nil {
		return Event{}, err
	}
	s, err := w.endpoints.Event(ctx, accountID, p.ID)
	if err != nil || s == nil {
		return Event{}, err
	}
	return shownEvent(s), nil
}
