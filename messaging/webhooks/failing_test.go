package webhooks_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/webhooks"
)

func (w *world) state(t testing.TB, accountID string) *webhook.State {
	t.Helper()
	s, err := w.endpoints.State(t.Context(), accountID)
	if err != nil || s == nil {
		t.Fatalf("state %v, %v", s, err)
	}
	return s
}

// comes waits until the account's endpoint has the expected state.
func (w *world) comes(t testing.TB, accountID string, as func(*webhook.State) bool) *webhook.State {
	t.Helper()
	var s *webhook.State
	w.Eventually(t, "another state of the endpoint", func() (any, bool) {
		s = w.state(t, accountID)
		return fmt.Sprintf("%+v", s), as(s)
	})
	return s
}

func disabled(s *webhook.State) bool { return !s.DisabledAt.IsZero() }

// answers returns an endpoint that responds with a status that can be changed.
func answers(status *atomic.Int64, header ...string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			rw.Header().Set(header[i], header[i+1])
		}
		rw.WriteHeader(int(status.Load()))
	}
}

// Rules: M157.
func TestDispatcher_GoneDisablesAtOnceAndNothingIsLost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		var status atomic.Int64
		status.Store(http.StatusGone)
		e := newEndpoint(t, w.Clock.Now, answers(&status))
		w.set(t, w.Account.ID, e.url)
		del := w.NewDispatcher()
		run(t, del)
		first := w.events(t, w.Account.ID, 1)
		s := w.comes(t, w.Account.ID, disabled)
		if s.DisabledFor != webhook.ForGone || s.LastStatus != http.StatusGone {
			t.Errorf("state %+v", s)
		}
		status.Store(http.StatusOK)
		waiting := w.events(t, w.Account.ID, 20)
		for range 2 {
			if err := del.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE account_id = $1 AND action = 'webhook.disabled' AND details LIKE '%"gone"%'`, w.Account.ID); n != 1 {
			t.Errorf("%d lines in the audit log say that it was disabled, want 1", n)
		}
		w.Clock.Advance(6 * 24 * time.Hour)
		w.signal.Notify()
		if n := len(e.got()); n != 1 {
			t.Errorf("%d deliveries to a disabled endpoint", n)
		}
		if err := w.endpoints.Enable(t.Context(), w.Account.ID); err != nil {
			t.Fatal(err)
		}
		for _, m := range append(first, waiting...) {
			w.becomes(t, m, webhooks.Delivered)
		}
		if s := w.state(t, w.Account.ID); disabled(s) || s.Pending != 0 {
			t.Errorf("state %+v", s)
		}
	})
}

// oneAttempt disables retries, which would be counted in tests.
func oneAttempt(o *webhook.Options) { o.Timing.Schedule = o.Timing.Schedule[:1] }

// Rules: M157.
func TestDispatcher_DisablesAfterFiveDaysOfFailure(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	var status atomic.Int64
	status.Store(http.StatusBadGateway)
	e := newEndpoint(t, w.Clock.Now, answers(&status))
	w.set(t, w.Account.ID, e.url)
	run(t, w.NewDispatcher(oneAttempt))
	fail := func() {
		t.Helper()
		w.attempts(t, w.events(t, w.Account.ID, 1)[0], 1)
	}
	fail()
	w.Clock.Advance(60 * time.Hour) // longer than failures count as failing all the time between
	fail()
	for day := range 4 {
		w.Clock.Advance(30 * time.Hour)
		fail()
		if s := w.comes(t, w.Account.ID, func(s *webhook.State) bool { return !s.LastFailureAt.Before(w.Clock.Now()) || disabled(s) }); disabled(s) != (day == 3) {
			t.Fatalf("after %d hours of failing: %+v", (day+1)*30, s)
		}
	}
	if s := w.state(t, w.Account.ID); s.DisabledFor != webhook.ForFailing {
		t.Errorf("state %+v", s)
	}
}

func TestDispatcher_ASuccessEndsFailing(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	var status atomic.Int64
	e := newEndpoint(t, w.Clock.Now, answers(&status))
	w.set(t, w.Account.ID, e.url)
	run(t, w.NewDispatcher(oneAttempt))
	for day := range 8 {
		status.Store([]int64{500, 200}[day/4%2])
		m := w.events(t, w.Account.ID, 1)[0]
		w.attempts(t, m, 1)
		w.Clock.Advance(30 * time.Hour)
	}
	if s := w.comes(t, w.Account.ID, func(s *webhook.State) bool { return s.FailingSince.IsZero() }); disabled(s) {
		t.Errorf("state %+v", s)
	}
}

// Rules: M156.
func TestDispatcher_RetryAfterIsHonoured(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		run(t, w.NewDispatcher())
		for asked, want := range map[string]time.Duration{"7200": 2 * time.Hour, "999999999": 24 * time.Hour, "Wed, 04 Mar 2026 15:00:00 GMT": 3 * time.Hour} {
			var status atomic.Int64
			status.Store(http.StatusServiceUnavailable)
			e := newEndpoint(t, w.Clock.Now, answers(&status, "Retry-After", asked))
			id := w.another(t, e.url)
			m := w.events(t, id, 1)[0]
			w.attempts(t, m, 1)
			if s := w.becomes(t, m, webhooks.Pending); s.NextTryAt.Sub(w.Clock.Now()) != want {
				t.Errorf("%s: it waits %s", asked, s.NextTryAt.Sub(w.Clock.Now()))
			}
			if s := w.comes(t, id, func(s *webhook.State) bool { return !s.PausedUntil.IsZero() }); !s.PausedUntil.Equal(w.Clock.Now().Add(15 * time.Minute)) {
				t.Errorf("%s: the endpoint is paused until %s", asked, s.PausedUntil)
			}
		}
	})
}

func TestDispatcher_ThePauseOfAnEndpointUsesNoAttempts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		var status atomic.Int64
		status.Store(http.StatusInternalServerError)
		e := newEndpoint(t, w.Clock.Now, answers(&status))
		w.set(t, w.Account.ID, e.url)
		run(t, w.NewDispatcher())
		made := w.events(t, w.Account.ID, 200)
		s := w.comes(t, w.Account.ID, func(s *webhook.State) bool { return !s.PausedUntil.IsZero() })
		if got := s.PausedUntil.Sub(w.Clock.Now()); got != 30*time.Second || len(e.got()) > 10+webhook.PerEndpoint {
			t.Errorf("a pause of %s after %d attempts", got, len(e.got()))
		}
		for n := range 3 { // one attempt after each pause, which is twice as long
			before := len(e.got())
			until := s.PausedUntil
			w.Clock.Advance(until.Sub(w.Clock.Now()))
			w.signal.Notify()
			s = w.comes(t, w.Account.ID, func(s *webhook.State) bool { return s.PausedUntil.After(until) })
			if got, want := s.PausedUntil.Sub(w.Clock.Now()), 60*time.Second<<n; got != want || len(e.got()) != before+1 {
				t.Errorf("a pause of %s, want %s, after %d attempts", got, want, len(e.got())-before)
			}
		}
		status.Store(http.StatusOK)
		w.Clock.Advance(s.PausedUntil.Sub(w.Clock.Now()))
		w.signal.Notify()
		untouched := 0
		for _, m := range made {
			if s := w.event(t, m); s.Delivery == webhooks.Pending && s.Tries > 0 {
				w.Clock.Advance(max(0, s.NextTryAt.Sub(w.Clock.Now())))
				w.signal.Notify()
			}
			if s := w.becomes(t, m, webhooks.Delivered); s.Tries == 0 {
				untouched++
			}
		}
		if untouched < 200-10-webhook.PerEndpoint-3 {
			t.Errorf("only %d of 200 events lost no attempt to the breaker", untouched)
		}
	})
}

// Only the single delivery after the pause ends it, not a success of an earlier attempt.
func TestDispatcher_ALateSuccessDoesNotEndThePause(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	var fails atomic.Bool // all of them; otherwise the first is delivered, and those after it meet
	var arrived atomic.Int64
	met, late := make(chan struct{}), make(chan struct{})
	e := newEndpoint(t, w.Clock.Now, func(rw http.ResponseWriter, r *http.Request) {
		n := int64(0)
		if !fails.Load() {
			n = arrived.Add(1)
		}
		until := met
		switch n {
		case 1:
			return
		case 2:
			until = late
		case webhook.PerEndpoint + 1:
			close(met)
		}
		if n > 1 {
			select {
			case <-until:
			case <-r.Context().Done():
			}
		}
		if n != 2 {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.set(t, w.Account.ID, e.url)
	run(t, w.NewDispatcher(oneAttempt))
	fails.Store(true)
	for range 3 { // with them, seven more are most of ten
		w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Failed)
	}
	fails.Store(false)
	w.events(t, w.Account.ID, webhook.PerEndpoint+1)
	s := w.comes(t, w.Account.ID, func(s *webhook.State) bool { return !s.PausedUntil.IsZero() })
	close(late)
	w.comes(t, w.Account.ID, func(now *webhook.State) bool { return now.Pending == 0 })
	fails.Store(true)
	waiting := w.events(t, w.Account.ID, 1)[0]
	w.Clock.Advance(s.PausedUntil.Sub(w.Clock.Now()))
	w.signal.Notify()
	w.becomes(t, waiting, webhooks.Failed)
	if got := w.state(t, w.Account.ID).PausedUntil.Sub(w.Clock.Now()); got != time.Minute {
		t.Errorf("after the delivery that follows a pause of 30s it is paused for %s, want 1m0s: the late success has ended the pause", got)
	}
}

// A changed URL or secret ends the pause immediately, on any node. Enabling an enabled endpoint does not end it.
// Rules: M156.
func TestDispatcher_ARepairedEndpointIsNotPaused(t *testing.T) {
	for name, repair := range map[string]func(w *world, good string) error{
		"another address": func(w *world, good string) error {
			_, err := w.endpoints.Set(t.Context(), w.Account.ID, good)
			return err
		},
		"another secret": func(w *world, _ string) error {
			_, _, err := w.endpoints.Rotate(t.Context(), w.Account.ID)
			return err
		},
		"enabled by an operator": func(w *world, _ string) error { return w.endpoints.Enable(t.Context(), w.Account.ID) },
		"another address, on another node": func(w *world, good string) error {
			elsewhere := webhooks.NewEndpoints(webhook.Endpoints{DB: w.DB, Key: w.Master, Now: w.Clock.Now, Signal: &webhook.Signal{}})
			_, err := elsewhere.Set(t.Context(), w.Account.ID, good)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				var status atomic.Int64
				status.Store(http.StatusInternalServerError)
				bad, good := newEndpoint(t, w.Clock.Now, answers(&status)), newEndpoint(t, w.Clock.Now, nil)
				w.set(t, w.Account.ID, bad.url)
				run(t, w.NewDispatcher())
				w.events(t, w.Account.ID, 40)
				paused := func(s *webhook.State) bool { return !s.PausedUntil.IsZero() }
				until := w.comes(t, w.Account.ID, paused).PausedUntil
				status.Store(http.StatusOK)
				if s, err := w.endpoints.EnableByOwner(t.Context(), w.Account.ID); err != nil || !s.PausedUntil.Equal(until) {
					t.Fatalf("the owner enables what is enabled: got %+v, %v, want it paused until %v", s, err, until)
				}
				if err := repair(w, good.url); err != nil {
					t.Fatal(err)
				}
				ping, err := w.endpoints.Ping(t.Context(), w.Account.ID)
				if err != nil {
					t.Fatal(err)
				}
				w.becomes(t, ping, webhooks.Delivered)
				if s := w.state(t, w.Account.ID); paused(s) || disabled(s) {
					t.Errorf("got %+v, want it neither paused nor disabled", s)
				}
			})
		})
	}
}

// Events that wait while others are being delivered go to the new address, whichever node has changed it.
func TestDispatcher_WaitingEventsGoToTheNewAddress(t *testing.T) {
	for name, signal := range map[string]func(w *world) *webhook.Signal{
		"same node":    func(w *world) *webhook.Signal { return w.signal },
		"another node": func(*world) *webhook.Signal { return &webhook.Signal{} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, dbtest.SQLite(t))
			ends := make(chan struct{})
			old := newEndpoint(t, w.Clock.Now, func(_ http.ResponseWriter, r *http.Request) {
				select {
				case <-ends:
				case <-r.Context().Done():
				}
			})
			good := newEndpoint(t, w.Clock.Now, nil)
			w.set(t, w.Account.ID, old.url)
			made := w.events(t, w.Account.ID, webhook.PerEndpoint+2) // two wait after their claim
			run(t, w.NewDispatcher())
			old.wants(t, webhook.PerEndpoint)
			w.Eventually(t, "all events are claimed", func() (any, bool) {
				n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE account_id = $1 AND claimed = 1`, w.Account.ID)
				return n, n == len(made)
			})
			made = append(made, w.events(t, w.Account.ID, 2)...) // these can wait without a claim
			by := webhooks.NewEndpoints(webhook.Endpoints{DB: w.DB, Key: w.Master, Now: w.Clock.Now, Signal: signal(w)})
			if _, err := by.Set(t.Context(), w.Account.ID, good.url); err != nil {
				t.Fatal(err)
			}
			w.Clock.Advance(time.Second)
			close(ends)
			for _, m := range made {
				w.becomes(t, m, webhooks.Delivered)
			}
			if n, m := len(old.got()), len(good.got()); n != webhook.PerEndpoint || m != 4 {
				t.Errorf("%d deliveries to the old address and %d to the new one, want %d and 4", n, m, webhook.PerEndpoint)
			}
		})
	}
}

// The state after a change of the address is that of the new address, however soon after an attempt at the old one.
func TestDispatcher_TheFirstResponseOfANewAddressIsShown(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	good := newEndpoint(t, w.Clock.Now, nil)
	w.set(t, w.Account.ID, good.url)
	run(t, w.NewDispatcher(oneAttempt))
	w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
	var status atomic.Int64
	status.Store(http.StatusBadGateway)
	refusing := newEndpoint(t, w.Clock.Now, answers(&status))
	w.Clock.Advance(time.Minute)
	w.set(t, w.Account.ID, refusing.url)
	w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Failed)
	w.comes(t, w.Account.ID, func(s *webhook.State) bool { return s.LastStatus == http.StatusBadGateway })
	w.Clock.Advance(time.Second)
	w.set(t, w.Account.ID, good.url)
	w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
	if s := w.state(t, w.Account.ID); s.LastStatus != http.StatusNoContent || !s.LastSuccessAt.Equal(w.Clock.Now()) {
		t.Errorf("got the last status %d and the last success at %s, want 204 at %s", s.LastStatus, s.LastSuccessAt, w.Clock.Now())
	}
}

// If an operator has disabled an endpoint, a change of the secret does not enable it.
func TestDispatcher_AnotherSecretDoesNotEnable(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	w.set(t, w.Account.ID, "https://example.com/hook")
	if err := w.endpoints.Disable(t.Context(), w.Account.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.endpoints.Rotate(t.Context(), w.Account.ID); err != nil {
		t.Fatal(err)
	}
	if s := w.state(t, w.Account.ID); s.DisabledFor != webhook.ForOperator {
		t.Errorf("got %+v, want it disabled by the operator still", s)
	}
}
