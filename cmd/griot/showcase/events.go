package showcase

import (
	"net/http"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/webhooks"
)

const (
	eventCount  = 90 // the latest messages have an event
	resendAfter = 20 * time.Minute
)

// storeEvents stores the events of the latest messages. The endpoint accepted most of them at the first attempt. A few
// failed permanently, and one of those was sent again.
func (h *history) storeEvents(tx *db.Tx) error {
	list, _, err := message.List(&tx.Query, &message.Filter{AccountID: h.o.Account.ID, Real: true, Limit: eventCount})
	for i, m := range list {
		at := latest(m.SentAt, m.DeliveredAt, m.ReadAt, m.FailedAt)
		if err != nil || at.IsZero() || m.Status == message.Sent {
			continue
		}
		failures := 0
		switch {
		case i%20 == 19:
			failures = len(webhook.ShortTiming().Schedule)
		case i%9 == 4:
			failures = 1
		}
		e := webhooks.StatusChanged(m, message.Sent, m.Status, at, "", m.Failure)
		stored, attempts := h.delivery(&webhook.Stored{ID: e.ID, Type: e.Type, Body: e.Body, At: at}, failures, i == 39)
		err = webhooks.Queue().Import(tx, h.o.Account.ID, stored, attempts)
	}
	return err
}

// delivery adds the delivery of an event: a number of failed attempts, possibly all of the schedule, and optionally
// another attempt that the account requested.
func (h *history) delivery(e *webhook.Stored, failures int, again bool) (*webhook.Stored, []*webhook.Attempt) {
	schedule, at := webhook.ShortTiming().Schedule, e.At
	var attempts []*webhook.Attempt
	attempt := func(after time.Duration, status int, answer string, class webhook.Class) time.Time {
		at = at.Add(after)
		a := &webhook.Attempt{At: at, Status: status, Latency: h.about(40*time.Millisecond, 120*time.Millisecond), Answer: answer, Error: string(class)}
		attempts = append(attempts, a)
		return at.Add(a.Latency)
	}
	for n := range failures {
		e.FailedAt, e.Tries = attempt(schedule[n], http.StatusServiceUnavailable, "database is restarting", webhook.BadStatus), n+1
	}
	switch {
	case failures < len(schedule):
		e.FailedAt, e.DeliveredAt = time.Time{}, attempt(schedule[failures], http.StatusNoContent, "", webhook.OK)
	case again:
		e.FailedAt, e.Tries, e.DeliveredAt = time.Time{}, 0, attempt(resendAfter, http.StatusNoContent, "", webhook.OK)
	}
	return e, attempts
}

// latest returns the last of several times.
func latest(times ...time.Time) (last time.Time) {
	for _, at := range times {
		if at.After(last) {
			last = at
		}
	}
	return last
}
