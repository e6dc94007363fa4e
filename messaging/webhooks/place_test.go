package webhooks_test

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/webhooks"
)

// ping returns a new event of the world's account.
func (w *world) ping() *webhooks.Event { return webhooks.NewPing(w.Account.ID, w.Clock.Now()) }

// afterFirst returns a handler that responds to the first request immediately, and calls then for every other.
func afterFirst(then func()) http.HandlerFunc {
	var answered atomic.Bool
	return func(http.ResponseWriter, *http.Request) {
		if answered.Swap(true) {
			then()
		}
	}
}

// insert stores an event and reports whether it was stored as claimed.
func (w *world) insert(t testing.TB, e *webhooks.Event) (claimed bool) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) (err error) {
		claimed, err = w.insertIn(tx, e)
		return err
	})
	return claimed
}

func (w *world) insertIn(tx *db.Tx, e *webhooks.Event) (claimed bool, err error) {
	if err := webhooks.Insert(tx, w.signal, e); err != nil {
		return false, err
	}
	_, err = tx.Row(`SELECT claimed FROM webhook_events WHERE account_id = $1 AND id = $2`, e.AccountID, e.ID).Scan(&claimed)
	return claimed, err
}

// working starts a dispatcher and returns after its worker has delivered an event.
func (w *world) working(t testing.TB) {
	t.Helper()
	run(t, w.NewDispatcher())
	w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
}

func TestPlace_SavesTheClaim(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, nil)
		secret := w.set(t, w.Account.ID, e.url)
		if w.insert(t, w.ping()) {
			t.Error("claimed without a dispatcher")
		}
		w.working(t)
		second := w.ping()
		if !w.insert(t, second) {
			t.Error("not claimed when it was stored")
		}
		w.becomes(t, second, webhooks.Delivered)
		if all := w.attempts(t, second, 1); len(all) != 1 || all[0].Status != http.StatusNoContent {
			t.Errorf("attempts %+v", all)
		}
		for _, g := range e.wants(t, 3) {
			if !verifies(t, &g, secret) {
				t.Errorf("the signature of %s is wrong", g.id)
			}
		}
		w.Clock.Advance(2 * time.Second)
		if w.insert(t, w.ping()) {
			t.Error("claimed though the settings may be old")
		}
	})
}

func TestPlace_OfARollbackIsFree(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, nil)
		w.set(t, w.Account.ID, e.url)
		w.working(t)
		oops := errors.New("oops")
		for range 100 {
			err := d.Write(t.Context(), func(tx *db.Tx) error {
				claimed, err := w.insertIn(tx, w.ping())
				if err == nil && !claimed {
					err = errors.New("not claimed")
				}
				return errors.Join(err, oops)
			})
			if !errors.Is(err, oops) || err.Error() != oops.Error() {
				t.Fatal(err)
			}
		}
		last := w.ping()
		if !w.insert(t, last) {
			t.Error("no place is left")
		}
		w.becomes(t, last, webhooks.Delivered)
		if n := len(e.got()); n != 2 {
			t.Errorf("%d deliveries, want those of the two that were committed", n)
		}
	})
}

func TestPlace_ASlowEndpointHasFew(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		slow := make(chan struct{})
		open := sync.OnceFunc(func() { close(slow) })
		defer open()
		e := newEndpoint(t, w.Clock.Now, afterFirst(func() { <-slow }))
		w.set(t, w.Account.ID, e.url)
		w.working(t)
		var all []*webhooks.Event
		claimed := 0
		for range 50 {
			p := w.ping()
			if all = append(all, p); w.insert(t, p) {
				claimed++
			}
		}
		if claimed == 0 || claimed > 32 {
			t.Errorf("%d of 50 were claimed when they were stored", claimed)
		}
		open()
		for _, p := range all {
			w.becomes(t, p, webhooks.Delivered)
		}
		if n := len(e.got()); n != 51 {
			t.Errorf("%d deliveries, want 51", n)
		}
	})
}

func TestPlace_AnEndpointThatFailsHasNone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		fails := make(chan bool, 3)
		e := newEndpoint(t, w.Clock.Now, func(rw http.ResponseWriter, _ *http.Request) {
			if <-fails {
				rw.WriteHeader(http.StatusInternalServerError)
			}
		})
		w.set(t, w.Account.ID, e.url)
		fails <- false
		w.working(t)
		fails <- true
		failed := w.ping()
		w.insert(t, failed)
		w.attempts(t, failed, 1)
		fails <- false
		next := w.ping()
		if w.insert(t, next) {
			t.Error("claimed though the last attempt failed")
		}
		w.becomes(t, next, webhooks.Delivered)
	})
}

func TestPlace_WaitsForNoOldAddress(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		slow, busy := make(chan struct{}), make(chan struct{}, 100)
		open := sync.OnceFunc(func() { close(slow) })
		defer open()
		old := newEndpoint(t, w.Clock.Now, afterFirst(func() {
			busy <- struct{}{}
			<-slow
		}))
		w.set(t, w.Account.ID, old.url)
		w.working(t)
		var all []*webhooks.Event
		for range webhook.PerEndpoint + 5 {
			p := w.ping()
			if all = append(all, p); !w.insert(t, p) {
				t.Fatal("not claimed when it was stored")
			}
		}
		for range webhook.PerEndpoint {
			waittest.Receive(t, busy)
		}
		fresh := newEndpoint(t, w.Clock.Now, nil)
		w.set(t, w.Account.ID, fresh.url)
		open()
		for _, p := range all {
			w.becomes(t, p, webhooks.Delivered)
		}
		if a, b := len(old.got()), len(fresh.got()); a != 1+webhook.PerEndpoint || b != 5 {
			t.Errorf("the old address got %d, the new one %d", a, b)
		}
	})
}

func TestPlace_NoneIsLostWhenTheProcessEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, nil)
		w.set(t, w.Account.ID, e.url)
		stop := run(t, w.NewDispatcher())
		w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
		const each = 100
		var writers sync.WaitGroup
		half := make(chan struct{}, 4)
		var mu sync.Mutex
		var all []*webhooks.Event
		for range 4 {
			writers.Go(func() {
				for i := range each {
					p := w.ping()
					if err := d.Write(t.Context(), func(tx *db.Tx) error { return webhooks.Insert(tx, w.signal, p) }); err != nil {
						t.Error(err)
					}
					mu.Lock()
					all = append(all, p)
					mu.Unlock()
					if i == each/2 {
						half <- struct{}{}
					}
				}
			})
		}
		waittest.Receive(t, half)
		stop()
		writers.Wait()
		run(t, w.NewDispatcher())
		got := map[string]int{}
		for _, p := range all {
			w.becomes(t, p, webhooks.Delivered)
		}
		for _, g := range e.got() {
			got[g.id]++
		}
		for _, p := range all {
			if got[p.ID] != 1 {
				t.Errorf("%s was delivered %d times", p.ID, got[p.ID])
			}
		}
		if len(got) != 4*each+1 {
			t.Errorf("%d events were delivered", len(got))
		}
	})
}
