package outbox_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

func unseen(context.Context) error { return nil }

// suspend suspends the account in the first process.
func (w *world) suspend() {
	w.t.Helper()
	if err := w.Directory.SetSuspended(w.t.Context(), w.Account.ID, "spam", w.store(0).AwaitBegins, unseen); err != nil {
		w.t.Fatal(err)
	}
}

// Rules: M192.
func TestSuspended_NothingBegins(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		plain, code := outbox.EntryOf(w.stored(person, "x", keyed("k"))), outbox.EntryOf(w.stored(person, "a code", isCode))
		w.suspend()
		for n, k := range []outbox.Entry{plain, code} {
			if b := w.begin(n, k, nil); !b.Suspended || b.OptedOut != "" || b.Begun != nil {
				t.Errorf("message %d: %+v, want suspended", n, b)
			}
		}
		items := []*outbox.Acceptance{w.item(person, "x", w.atOnce), w.item(person, "later"), w.item(person, "again", keyed("k")), w.item(person, "new", keyed("k2")), w.item(person, "a code", w.atOnce, isCode)}
		w.accept(1, false, items...)
		w.wants("refusals", refusals(items), []outbox.Refusal{outbox.AccountSuspended, outbox.AccountSuspended, outbox.KeyTaken, outbox.AccountSuspended, outbox.AccountSuspended})
		w.counts(`SELECT count(*) FROM messages WHERE status = 'QUEUED' AND version = 0`, 2)
		w.counts(`SELECT used FROM quotas`, 2)
		w.counts(`SELECT count(*) FROM idempotency_keys`, 1)
		if ready, err := w.store(1).Ready(t.Context(), sender, nil, math.MinInt64, 10); err != nil || len(ready) != 0 {
			t.Errorf("ready: %v, %v; want none", ready, err)
		}
		if err := w.Directory.SetSuspended(t.Context(), w.Account.ID, "", w.store(0).AwaitBegins, unseen); err != nil {
			t.Fatal(err)
		}
		if ready, err := w.store(1).Ready(t.Context(), sender, nil, math.MinInt64, 10); err != nil || len(ready) != 2 {
			t.Errorf("ready after the suspension: %v, %v; want two", ready, err)
		}
		if b := w.begin(1, plain, nil); b.Begun == nil {
			t.Errorf("after the suspension: %+v, want it begun", b)
		}
	})
}

// Messages start on two nodes while the account is suspended. Each one has started before the suspension returned, or not at all.
// Rules: M192.
func TestSuspended_ARaceIsDecided(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n = 60
		var keys []outbox.Entry
		for i := range n {
			keys = append(keys, outbox.EntryOf(w.stored(fmt.Sprintf("2237620%04d", i), "x")))
		}
		var begun, refused atomic.Int64
		tell, over := make(chan struct{}, 2*n), make(chan struct{})
		go func() {
			defer close(over)
			for i := range n {
				b := w.begin(i, keys[i], nil)
				a := w.item(fmt.Sprintf("2237630%04d", i), "x", w.atOnce)
				if err := w.store(i+1).Accept(context.Background(), []*outbox.Acceptance{a}, false); err != nil {
					t.Error(err)
				}
				for _, began := range []bool{b.Begun != nil, a.Begun()} {
					if began {
						begun.Add(1)
					} else {
						refused.Add(1)
					}
				}
				tell <- struct{}{}
			}
		}()
		for range 5 {
			waittest.Receive(t, tell)
		}
		w.suspend()
		const sending = `SELECT count(*) FROM messages WHERE status = 'SENDING'`
		atOnce := w.Int(t, sending)
		waittest.Receive(t, over)
		w.counts(sending, atOnce)
		w.wants("begun", begun.Load(), int64(atOnce))
		w.wants("in all", begun.Load()+refused.Load(), int64(2*n))
	})
}

// Expired messages are listed, and those that might have been submitted.
func TestSuspended_ListsWhatHasEnded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		due := func(a *outbox.Acceptance) {
			a.Message.Status, a.Message.ScheduledAt, a.Message.DueAt = message.Scheduled, w.Clock.Now(), w.Clock.Now()
		}
		w.stored(person, "waits", due)
		gone := w.stored(person, "expires", due, func(a *outbox.Acceptance) { a.Message.ExpiresAt = w.Clock.Now().Add(time.Minute) })
		away := w.begin(0, outbox.EntryOf(w.stored(person, "away")), nil).Begun
		w.suspend()
		w.Clock.Advance(time.Hour)
		list, err := w.store(1).Due(t.Context(), sender, 10)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		w.wants("due", ids, []string{gone.ID, away.ID})
	})
}
