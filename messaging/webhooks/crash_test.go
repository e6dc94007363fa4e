package webhooks_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/webhooks"
)

// claim claims an account's events, like a process that then dies.
func (w *world) claim(t testing.TB, accountID string, n int) (claimed []*webhook.Claimed) {
	t.Helper()
	now := w.Clock.Now()
	w.Write(t, func(tx *db.Tx) (err error) {
		claimed, err = webhooks.Queue().Claim(tx, accountID, now, now.Add(time.Minute), n)
		return err
	})
	return claimed
}

func TestCrash_WhatADeadProcessHadIsDelivered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, nil)
		w.set(t, w.Account.ID, e.url)
		made := w.events(t, w.Account.ID, 10)
		w.Write(t, func(tx *db.Tx) error { // as the dead one would have
			_, err := tx.Exec(`UPDATE webhook_endpoints SET owner = 'dead', owner_until = $1 WHERE account_id = $2`, db.Ms(w.Clock.Now().Add(30*time.Second)), w.Account.ID)
			return err
		})
		if n := len(w.claim(t, w.Account.ID, 5)); n != 5 {
			t.Fatalf("claimed %d", n)
		}
		if n := len(w.claim(t, w.Account.ID, 100)); n != 5 {
			t.Fatalf("claimed %d of the other five", n)
		}
		run(t, w.NewDispatcher())
		if d.Engine() == db.Postgres { // another process might be alive, so its leases must expire first
			w.signal.Notify()
			w.Clock.Advance(30 * time.Second)
			w.signal.Notify()
			if n := len(e.got()); n != 0 {
				t.Errorf("%d deliveries before the leases are over", n)
			}
			w.Clock.Advance(30 * time.Second)
			w.signal.Notify()
		}
		for _, m := range made {
			w.becomes(t, m, webhooks.Delivered)
		}
		if len(e.got()) != 10 {
			t.Errorf("%d deliveries", len(e.got()))
		}
	})
}

func TestCrash_ALateProcessFinishesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		answer, asked := make(chan int), make(chan struct{}, 2)
		e := newEndpoint(t, w.Clock.Now, func(rw http.ResponseWriter, _ *http.Request) {
			asked <- struct{}{}
			rw.WriteHeader(<-answer)
		})
		w.set(t, w.Account.ID, e.url)
		run(t, w.NewDispatcher())
		m := w.events(t, w.Account.ID, 1)[0]
		waittest.Receive(t, asked) // the attempt is in flight
		if found, err := w.endpoints.Resend(t.Context(), w.Account.ID, m.ID); err != nil || !found {
			t.Fatal(found, err)
		}
		waittest.Receive(t, asked) // and now another
		answer <- http.StatusInternalServerError
		w.attempts(t, m, 1)
		if s := w.event(t, m); s.Delivery != webhooks.Pending || s.Tries != 0 {
			t.Errorf("the outcome of the void attempt was written: %+v", s)
		}
		answer <- http.StatusOK
		w.becomes(t, m, webhooks.Delivered)
	})
}

// Some of the outcomes that are written together are void. Each attempt is listed exactly once.
func TestCrash_EachAttemptIsListedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		answer, asked := make(chan struct{}), make(chan struct{}, webhook.PerEndpoint)
		e := newEndpoint(t, w.Clock.Now, func(http.ResponseWriter, *http.Request) {
			asked <- struct{}{}
			<-answer
		})
		w.set(t, w.Account.ID, e.url)
		run(t, w.NewDispatcher())
		made := w.events(t, w.Account.ID, webhook.PerEndpoint/2)
		for range made {
			waittest.Receive(t, asked)
		}
		want := map[string]int{}
		for i, m := range made {
			want[m.ID] = 1 + i%2
			if i%2 == 0 {
				continue
			}
			if found, err := w.endpoints.Resend(t.Context(), w.Account.ID, m.ID); err != nil || !found {
				t.Fatal(found, err)
			}
			waittest.Receive(t, asked)
		}
		close(answer)
		for _, m := range made {
			w.becomes(t, m, webhooks.Delivered)
			if all := w.attempts(t, m, want[m.ID]); len(all) != want[m.ID] {
				t.Errorf("%d attempts, want %d", len(all), want[m.ID])
			}
		}
	})
}

func TestCrash_WhatIsRolledBackIsNotDelivered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, nil)
		w.set(t, w.Account.ID, e.url)
		run(t, w.NewDispatcher())
		lost := webhooks.NewPing(w.Account.ID, w.Clock.Now())
		oops := errors.New("oops")
		if err := d.Write(t.Context(), func(tx *db.Tx) error { return errors.Join(webhooks.Insert(tx, nil, lost), oops) }); !errors.Is(err, oops) {
			t.Fatalf("got %v, want %v", err, oops)
		}
		kept := w.events(t, w.Account.ID, 1)[0]
		w.becomes(t, kept, webhooks.Delivered)
		if all := e.got(); len(all) != 1 || all[0].id != kept.ID {
			t.Errorf("delivered %+v", all)
		}
	})
}

func TestRun_EndsWithNothingClaimed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		asked := make(chan struct{}, 100)
		e := newEndpoint(t, w.Clock.Now, func(_ http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-r.Context().Done()
		})
		w.set(t, w.Account.ID, e.url)
		stop := run(t, w.NewDispatcher())
		made := w.events(t, w.Account.ID, 50)
		waittest.Receive(t, asked)
		stop() // waits for its grace period, not for the endpoint's timeout
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE claimed = 1`); n != 0 {
			t.Errorf("%d events are still claimed", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_endpoints WHERE owner IS NOT NULL`); n != 0 {
			t.Errorf("%d endpoints are still owned", n)
		}
		for _, m := range made {
			if s := w.event(t, m); s.Tries != 0 || s.Delivery != webhooks.Pending || s.NextTryAt.After(w.Clock.Now()) {
				t.Errorf("the end of the process has cost an attempt: %+v", s)
			}
		}
	})
}
