package webhook

import (
	"net/http"
	"time"

	"example.com/griot/internal/breaker"
)

// endpointHealth is what the attempts of an endpoint have shown, as it is stored. The zero time: never.
type endpointHealth struct {
	number       uint64 // counts the changes that are to be stored; not stored itself
	changedAt    int64  // of the owner's settings that it belongs to: newer ones begin anew
	breaker      breaker.State
	failingSince time.Time
	failureAt    time.Time
	successAt    time.Time
	lastStatus   int
	disabledAt   time.Time
	disabledFor  string
}

// saveEvery is how often health is stored that changes in nothing but its times.
const saveEvery = 5 * time.Second

// currentHealth returns the endpoint's health, and whether its last attempt failed: as stored if the settings were changed
// or another process might have owned the endpoint since (lapsed), and the worker's own otherwise. The caller holds mu.
func (w *endpointWorker) currentHealth(stored *endpointHealth, lapsed bool) (h endpointHealth, failing bool) {
	own := w.health.breaker
	switch {
	case w.health.changedAt != stored.changedAt:
		own = breaker.State{}
	case !lapsed:
		return w.health, w.failing
	}
	h = *stored
	h.breaker = own.Restore(stored.breaker.Pause, stored.breaker.Until)
	return h, !stored.failingSince.IsZero() || !stored.breaker.Closed()
}

func (w *endpointWorker) cancelProbe(probe bool, now time.Time) {
	if !probe {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health.breaker, _ = w.health.breaker.Next(&w.d.o.Timing.Breaker, breaker.ProbeCanceled, now)
}

// recordOutcome passes an outcome on, with the health that follows from it where that is to be stored. It waits for the
// writer of outcomes without the lock, which those who store events need.
func (w *endpointWorker) recordOutcome(t *target, o *outcome, probe bool, now time.Time) {
	o.worker, o.health = w, w.healthAfter(t, o, probe, now)
	w.d.outcomes <- o
}

// healthAfter adds an outcome to the health, and returns a copy if it is to be stored.
func (w *endpointWorker) healthAfter(t *target, o *outcome, probe bool, now time.Time) *endpointHealth {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.changedAt != w.health.changedAt { // the attempt says nothing of the present settings
		return nil
	}
	changed := false
	if o.result.Class == OK {
		changed = w.succeeded(probe, now)
	} else {
		changed = w.failed(&o.result, probe, now)
	}
	w.health.lastStatus = o.result.Status
	if !changed && now.Sub(w.savedAt) < saveEvery {
		return nil
	}
	w.savedAt = now
	w.numbered++
	health := w.health
	health.number = w.numbered
	return &health
}

// succeeded counts a success. changed reports whether there is news to store at once.
func (w *endpointWorker) succeeded(probe bool, now time.Time) (changed bool) {
	h := &w.health
	event := breaker.Succeeded
	if probe {
		event = breaker.ProbeSucceeded
	}
	h.breaker, changed = h.breaker.Next(&w.d.o.Timing.Breaker, event, now)
	changed = changed || !h.failingSince.IsZero() || h.successAt.IsZero()
	h.failingSince, h.successAt, w.failing = time.Time{}, now, false
	return changed
}

// failed counts a failure. changed reports whether there is news to store at once.
func (w *endpointWorker) failed(r *Result, probe bool, now time.Time) (changed bool) {
	h, timing := &w.health, &w.d.o.Timing
	event := breaker.Failed
	if probe {
		event = breaker.ProbeFailed
	}
	h.breaker, changed = h.breaker.Next(&timing.Breaker, event, now)
	if r.RetryAfter > 0 && (r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable) {
		var held bool
		h.breaker, held = h.breaker.Hold(&timing.Breaker, r.RetryAfter, now)
		changed = changed || held
	}
	if h.failingSince.IsZero() || now.Sub(h.failureAt) > timing.Gap {
		h.failingSince, changed = now, true
	}
	h.failureAt, w.failing = now, true
	switch {
	case !h.disabledAt.IsZero():
	case r.Class == Gone:
		h.disabledAt, h.disabledFor, changed = now, ForGone, true
	case now.Sub(h.failingSince) >= timing.GiveUp:
		h.disabledAt, h.disabledFor, changed = now, ForFailing, true
	}
	return changed
}
