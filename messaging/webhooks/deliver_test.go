package webhooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/webhooks"
)

// Rules: M155.
func TestDispatcher_EveryEventOnceWithItsBodyAndSignature(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, strings.Repeat("é", 700)) })
		secret := w.set(t, w.Account.ID, e.url)
		made := w.events(t, w.Account.ID, 300)
		run(t, w.NewDispatcher())
		made = append(made, w.events(t, w.Account.ID, 100)...)
		for _, m := range made {
			w.becomes(t, m, webhooks.Delivered)
		}
		body := map[string]string{}
		for _, g := range e.got() {
			if _, twice := body[g.id]; twice {
				t.Errorf("%s came twice", g.id)
			}
			body[g.id] = g.body
			if !verifies(t, &g, secret) {
				t.Errorf("%s: the signature is wrong", g.id)
			}
			if g.header.Get("Content-Type") != "application/json" || g.header.Get("User-Agent") != "Griot/test" || g.header.Get("webhook-timestamp") != fmt.Sprint(w.Clock.Now().Unix()) {
				t.Errorf("headers %v", g.header)
			}
		}
		for _, m := range made {
			if body[m.ID] != m.Body {
				t.Errorf("%s came as %q, not %q", m.ID, body[m.ID], m.Body)
			}
		}
		all := w.attempts(t, made[0], 1)
		if a := all[0]; len(all) != 1 || a.Status != 200 || a.Error != "" || a.Answer != strings.Repeat("é", 512) || !a.At.Equal(w.Clock.Now()) {
			t.Errorf("attempts %+v", all[0])
		}
	})
}

// Rules: M156.
func TestDispatcher_AttemptsBySchedule(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, func(rw http.ResponseWriter, _ *http.Request) {
			http.Error(rw, "not today\x00", http.StatusInternalServerError)
		})
		w.set(t, w.Account.ID, e.url)
		run(t, w.NewDispatcher())
		m := w.events(t, w.Account.ID, 1)[0]
		schedule := webhook.StandardTiming().Schedule
		for n := 1; n <= len(schedule); n++ {
			attempts := w.attempts(t, m, n)
			if a := attempts[0]; a.Status != 500 || a.Error != "status" || a.Answer != "not today\uFFFD\n" {
				t.Fatalf("attempt %d: %+v", n, a)
			}
			if n == len(schedule) {
				break
			}
			s := w.becomes(t, m, webhooks.Pending)
			wait := s.NextTryAt.Sub(w.Clock.Now())
			if s.Tries != n || wait < schedule[n]*8/10 || wait > schedule[n]*12/10 {
				t.Errorf("after attempt %d of %d it waits %s, want about %s", n, s.Tries, wait, schedule[n])
			}
			w.Clock.Advance(wait - time.Millisecond)
			w.signal.Notify()
			if len(e.got()) != n {
				t.Errorf("attempted before its time")
			}
			w.Clock.Advance(time.Millisecond)
			w.signal.Notify()
		}
		s := w.becomes(t, m, webhooks.Failed)
		if !s.FailedAt.Equal(w.Clock.Now()) || len(e.got()) != len(schedule) {
			t.Errorf("%d attempts, %+v", len(e.got()), s)
		}
		for _, g := range e.got() {
			if g.id != m.ID || g.body != m.Body {
				t.Errorf("an attempt of %s with another id or body: %s", m.ID, g.id)
			}
		}
		n, err := w.endpoints.ResendFailed(t.Context(), w.Account.ID, messagingtest.Start)
		if err != nil || n != 1 {
			t.Fatalf("sent %d again, %v", n, err)
		}
		e.wants(t, len(schedule)+1)
		if s := w.becomes(t, m, webhooks.Pending); s.Tries > 1 {
			t.Errorf("sent again it has not all its attempts: %+v", s)
		}
	})
}

// A dispatcher that has just delivered to an endpoint caches its settings for a second. Changes of its own process
// take effect immediately, and those of others after that second.
func TestDispatcher_AChangeReachesAnEndpointThatWasJustCalled(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		first, second, third := newEndpoint(t, w.Clock.Now, nil), newEndpoint(t, w.Clock.Now, nil), newEndpoint(t, w.Clock.Now, nil)
		w.set(t, w.Account.ID, first.url)
		run(t, w.NewDispatcher())
		deliver := func() {
			w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
		}
		deliver()
		w.set(t, w.Account.ID, second.url)
		deliver()
		w.Write(t, func(tx *db.Tx) error { // another process
			_, err := tx.Exec(`UPDATE accounts SET webhook_url = $1 WHERE id = $2`, third.url, w.Account.ID)
			return err
		})
		w.Clock.Advance(time.Second)
		deliver()
		if a, b, c := len(first.got()), len(second.got()), len(third.got()); a != 1 || b != 1 || c != 1 {
			t.Errorf("deliveries %d, %d, and %d, want 1, 1, and 1", a, b, c)
		}
	})
}
