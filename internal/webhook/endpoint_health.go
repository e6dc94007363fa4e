package webhook

import (
	"net/http"
	"time"

	"example.com/griot/internal/breaker"
)

// endpointHealth is the stored result of the attempts at an endpoint. A zero time means never.
type endpointHealth struct {
	number       uint64 // counts the changes to store; not stored itself
	changedAt    int64  // time of the owner's settings that it belongs to; newer settings start with new health
	breaker      breaker.State
	failingSince time.Time
	failureAt    time.Time
	successAt    time.Time
	lastStatus   int
	disabledAt   time.Time
	disabledFor  string
}

// saveEvery is the minimum time between two writes of health if only its times have changed.
const saveEvery = 5 * time.Second

// currentHealth returns the endpoint's health, and whether its last attempt failed: as stored if the settings were
// changed or another process might have owned the endpoint since (lapsed), and the worker's own otherwise. The caller
// must hold mu.
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

// recordOutcome passes an outcome on, with the resulting health if it must be stored. It waits for the writer of
// outcomes without holding the lock, because goroutines that store events need it.
func (w *endpointWorker) recordOutcome(t *target, o *outcome, probe bool, now time.Time) {
	o.worker, o.health = w, w.healthAfter(t, o, probe, now)
	w.d.outcomes <- o
}

// healthAfter adds an outcome to the health. It returns a copy if the health must be stored.
func (w *endpointWorker) healthAfter(t *target, o *outcome, probe bool, now time.Time) *endpointHealth {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.changedAt != w.health.changedAt { // the attempt was made with earlier settings
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

// succeeded counts a success. changed reports whether a change must be stored immediately.
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

// failed counts a failure. changed reports whether a change must be stored immediately.
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
