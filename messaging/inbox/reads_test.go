package inbox_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/messagingtest"
)

// reader is a gateway that receives read receipts.
type reader struct {
	messagingtest.Gateway
	mu       sync.Mutex
	notified []gateway.Read
	answer   func(ctx context.Context) error // nil: it takes every mark
}

func (r *reader) MarkRead(ctx context.Context, read *gateway.Read) error {
	r.mu.Lock()
	r.notified = append(r.notified, *read)
	answer := r.answer
	r.mu.Unlock()
	if answer == nil {
		return nil
	}
	return answer(ctx)
}

// ids lists the reported IDs, call by call.
func (r *reader) ids() (all [][]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, read := range r.notified {
		all = append(all, read.IDs)
	}
	return all
}

func (r *reader) set(answer func(ctx context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func failing(class gateway.Class) func(context.Context) error {
	return func(context.Context) error { return &gateway.Error{Class: class, Code: "number_disconnected"} }
}

func markRead(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if _, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, conversationWith(t, w, awa).ID); err != nil {
		t.Fatal(err)
	}
}

func notify(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if err := w.Inbox.NotifyReads(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (r *reader) want(t *testing.T, want ...[]string) {
	t.Helper()
	if got := r.ids(); !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("the gateway was told %v, want %v", got, want)
	}
}

func TestReads_AreToldOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := &reader{}
		w := mediaWorld(t, d, k, nil)
		for _, id := range []string{"wamid.1", "wamid.2"} {
			receive(t, w, id, gateway.Inbound{Text: "Bonjour"})
			w.Clock.Advance(time.Second)
		}
		notify(t, w)
		k.want(t)
		markRead(t, w)
		k.want(t) // it delays no answer
		notify(t, w)
		k.want(t, []string{"wamid.1", "wamid.2"})
		if got, want := k.notified[0], (gateway.Read{Channel: gateway.WhatsApp, From: messagingtest.WhatsApp, To: awa, At: w.Clock.Now(), IDs: k.notified[0].IDs}); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("told %v, want %v", got, want)
		}
		markRead(t, w) // nothing is unread
		notify(t, w)
		k.want(t, []string{"wamid.1", "wamid.2"})
		receive(t, w, "wamid.3", gateway.Inbound{Text: "Encore"})
		markRead(t, w)
		notify(t, w)
		k.want(t, []string{"wamid.1", "wamid.2"}, []string{"wamid.3"})
		if n := w.Int(t, `SELECT count(*) FROM inbox_reads`); n != 0 {
			t.Errorf("%d rows are left, want none", n)
		}
	})
}

func TestReads_AreTriedAgainForAWhile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := &reader{}
		w := mediaWorld(t, d, k, nil)
		receive(t, w, "wamid.1", gateway.Inbound{Text: "Bonjour"})
		k.set(failing(gateway.Temporary))
		markRead(t, w)
		for _, pause := range []time.Duration{2 * time.Second, 10 * time.Second, time.Minute} {
			before := len(k.ids())
			notify(t, w)
			w.Clock.Advance(pause - time.Millisecond)
			notify(t, w)
			if n := len(k.ids()); n != before+1 {
				t.Errorf("the gateway was told %d times before %v, want once", n-before, pause)
			}
			w.Clock.Advance(time.Millisecond)
		}
		// More messages are read in the meantime. All of them are reported, and the tries start again.
		receive(t, w, "wamid.2", gateway.Inbound{Text: "Encore"})
		markRead(t, w)
		k.set(nil)
		notify(t, w)
		if got := k.ids(); !slices.Equal(got[len(got)-1], []string{"wamid.1", "wamid.2"}) {
			t.Errorf("told %v, want both at the end", got)
		}

		for _, class := range []gateway.Class{gateway.Temporary, gateway.Permanent} {
			receive(t, w, "wamid."+string(class), gateway.Inbound{Text: "Enfin"})
			k.set(failing(class))
			before := len(k.ids())
			markRead(t, w)
			for range 20 {
				notify(t, w)
				w.Clock.Advance(6 * time.Minute)
			}
			want := map[gateway.Class]int{gateway.Temporary: 5, gateway.Permanent: 1}[class]
			if n := len(k.ids()) - before; n != want || w.Int(t, `SELECT count(*) FROM inbox_reads`) != 0 {
				t.Errorf("%s: told %d times, want %d and then nothing left", class, n, want)
			}
		}
	})
}

// Messages that are read during a call are also reported. If a process dies, another continues.
func TestReads_AreNotLost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := &reader{}
		w := mediaWorld(t, d, k, nil)
		receive(t, w, "wamid.1", gateway.Inbound{Text: "Bonjour"})
		markRead(t, w)
		k.set(func(context.Context) error {
			k.set(nil)
			receive(t, w, "wamid.2", gateway.Inbound{Text: "Encore"})
			markRead(t, w)
			return nil
		})
		notify(t, w)
		if got := k.ids(); len(got) != 2 || !slices.Contains(got[1], "wamid.2") {
			t.Errorf("told %v, want what was read meanwhile too", got)
		}

		receive(t, w, "wamid.3", gateway.Inbound{Text: "Et la fin"})
		markRead(t, w)
		ctx, end := context.WithCancel(t.Context())
		k.set(func(ctx context.Context) error {
			end()
			<-ctx.Done()
			return &gateway.Error{Class: gateway.Temporary, Code: "timeout"}
		})
		if err := w.Inbox.NotifyReads(ctx); err != nil {
			t.Fatal(err)
		}
		k.set(nil)
		before := len(k.ids())
		w.Inbox = node(w, k, nil) // the next process
		notify(t, w)
		if got := k.ids()[before:]; len(got) != 1 || !slices.Equal(got[0], []string{"wamid.3"}) {
			t.Errorf("the next process told %v, want wamid.3", got)
		}
	})
}

func TestReads_AreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := &reader{}
		w := mediaWorld(t, d, k, nil)
		for n := range gateway.MaxRead + 3 {
			receive(t, w, fmt.Sprint("wamid.", n), gateway.Inbound{Text: "Bonjour"})
			w.Clock.Advance(time.Millisecond)
		}
		markRead(t, w)
		stop := waittest.Run(t, w.Inbox.RunReads)
		w.WaitForInt(t, 0, `SELECT count(*) FROM inbox_reads`)
		stop()
		if got := k.ids(); len(got) != 1 || len(got[0]) != gateway.MaxRead || got[0][gateway.MaxRead-1] != fmt.Sprint("wamid.", gateway.MaxRead+2) {
			t.Errorf("told %v, want the newest %d", got, gateway.MaxRead)
		}
	})
}
