package webhooks_test

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/webhooks"
)

func TestStream(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.events(t, w.Account.ID, 3) // there is no listener yet
		if err := w.endpoints.Listen(t.Context(), w.Account.ID, true); err != nil {
			t.Fatal(err)
		}
		w.events(t, w.Account.ID, 3) // before the stream
		w.Clock.Advance(time.Millisecond)
		stream := func(after string, simulated bool) *webhooks.Stream {
			t.Helper()
			f, err := w.endpoints.Stream(t.Context(), w.Account.ID, after, simulated)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		live, simulated := stream("", false), stream("", true)
		var want []string
		got := map[string]int{}
		next := func(f *webhooks.Stream) (n int) {
			t.Helper()
			all, err := f.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range all {
				got[e.ID]++
			}
			return len(all)
		}
		for range 5 {
			for _, e := range w.events(t, w.Account.ID, 90) {
				want = append(want, e.ID)
			}
			next(live)
			w.Clock.Advance(time.Second)
		}
		late := webhooks.NewPing(w.Account.ID, w.Clock.Now().Add(-time.Hour)) // for a receipt that arrived late
		late.Stored = w.Clock.Now().Add(-2 * time.Second)                     // and whose commit took its time
		w.Write(t, func(tx *db.Tx) error { return webhooks.Insert(tx, nil, late) })
		want = append(want, late.ID)
		for next(live) > 0 {
		}
		for _, eventID := range want {
			if got[eventID] != 1 {
				t.Errorf("%s came %d times", eventID, got[eventID])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d events came, want %d", len(got), len(want))
		}
		if n := next(simulated); n != 0 {
			t.Errorf("%d real events in the stream of a test key", n)
		}
		m := message.New(&message.Request{Channel: gateway.SMS, To: "+22376000001", Sandbox: true}, w.Account.ID, "", w.Clock.Now())
		listens := &account.Account{ListenUntil: w.Clock.Now().Add(time.Minute)}
		w.Write(t, func(tx *db.Tx) error {
			return webhooks.Insert(tx, nil, webhooks.Simulated(listens, m, w.Clock.Now())[0])
		})
		if n := next(simulated); n != 1 {
			t.Errorf("%d simulated events", n)
		}
		again := stream(want[400], false) // a client that has lost the connection continues after its last event
		clear(got)
		for next(again) > 0 {
		}
		if got[want[400]] != 0 || got[want[449]] != 1 {
			t.Errorf("after %s: %d, %d", want[400], got[want[400]], got[want[449]])
		}
		if n := next(stream(id.Event+id.New(w.Clock.Now()), false)); n != 1 {
			t.Errorf("behind an event that is not there: %d", n)
		}
	})
}

func TestListenSecret(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	seen := map[string]bool{}
	for _, id := range []string{"a", "b"} {
		for rotation := range int64(3) {
			for _, simulated := range []bool{false, true} {
				secret := w.endpoints.ListenSecret(id, rotation, simulated)
				if seen[secret] || secret != w.endpoints.ListenSecret(id, rotation, simulated) {
					t.Errorf("%s, %d, %v: each has one of its own, always the same", id, rotation, simulated)
				}
				seen[secret] = true
			}
		}
	}
}
