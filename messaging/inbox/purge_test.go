package inbox_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/fault"
	"griot/messaging/inbox"
	"griot/messaging/messagingtest"
)

func purge(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if err := w.Inbox.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestPurge(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i := range 700 { // more than one transaction takes
			w.Receive(t, awa, fmt.Sprint("a", i), "ancien")
		}
		w.Receive(t, moussa, "m1", "ancien, lu")
		gone := with(t, w, moussa)
		if _, err := w.Inbox.MarkRead(t.Context(), w.Account.ID, gone.ID); err != nil {
			t.Fatal(err)
		}
		w.Receive(t, moussa, "m2", "ancien, pas lu")
		w.Clock.Advance(inbox.Retention)
		before := state(t, w)
		purge(t, w)
		if state(t, w) != before {
			t.Error("something went on the thirtieth day")
		}
		w.Receive(t, awa, "new", "nouveau")
		w.Clock.Advance(time.Millisecond)
		before = state(t, w)
		purge(t, w)
		after := state(t, w)
		if before.Unread != 702 || after.Unread != 1 || after.Revision == before.Revision {
			t.Errorf("before %+v, after %+v", before, after)
		}
		c := with(t, w, awa)
		if got := texts(messages(t, w, c.ID)); got != "in nouveau" || c.Unread != 1 {
			t.Errorf("left: %s, %+v", got, c)
		}
		if _, err := w.Inbox.Messages(t.Context(), w.Account.ID, gone.ID, &inbox.Query{Limit: 1}); !is(err, fault.ConversationNotFound) {
			t.Errorf("an empty conversation: %v", err)
		}
		addsUp(t, w)
		purge(t, w)
		if state(t, w) != after {
			t.Error("a purge of nothing changed something")
		}
		w.Receive(t, moussa, "m3", "de retour")
		if c := with(t, w, moussa); c.ID == gone.ID || c.Unread != 1 {
			t.Errorf("a new conversation: %+v", c)
		}
	})
}

func TestMarkRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i := range 3 {
			w.Receive(t, awa, fmt.Sprint("a", i), "x")
		}
		w.Receive(t, moussa, "m", "x")
		before, c := state(t, w), with(t, w, awa)
		m, err := w.Inbox.MarkRead(t.Context(), w.Account.ID, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		after := state(t, w)
		if m.Previous != before.Revision || m.State != after || after.Revision == before.Revision || after.Unread != 1 || with(t, w, awa).Unread != 0 {
			t.Errorf("marked %+v, before %+v, after %+v", m, before, after)
		}
		again, err := w.Inbox.MarkRead(t.Context(), w.Account.ID, c.ID)
		if err != nil || again.Previous != after.Revision || again.State != after {
			t.Errorf("again: %+v, %v", again, err)
		}
		w.Receive(t, awa, "a9", "x")
		if with(t, w, awa).Unread != 1 {
			t.Error("a new message is not unread")
		}
		addsUp(t, w)
		if _, err := w.Inbox.MarkRead(t.Context(), "another", c.ID); !is(err, fault.ConversationNotFound) {
			t.Errorf("another account's: %v", err)
		}
		w.Write(t, func(tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE inbox_states SET unread = 1500`)
			return err
		})
		if s := state(t, w); s.Unread != inbox.MaxUnread || !s.Capped || s.Saturated {
			t.Errorf("capped: %+v", s)
		}
	})
}

func TestChanges_ManyAtOnceAddUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "first", "x")
		w.Receive(t, moussa, "first too", "x")
		a, m := with(t, w, awa), with(t, w, moussa)
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() { w.Receive(t, []string{awa, moussa}[i%2], fmt.Sprint("n", i), "x") })
			wg.Go(func() {
				if _, err := w.Inbox.MarkRead(t.Context(), w.Account.ID, []*inbox.Conversation{a, m}[i%2].ID); err != nil && !is(err, fault.ConversationNotFound) {
					t.Error(err) // a conversation may have been purged
				}
			})
			if i%20 == 0 {
				wg.Go(func() {
					w.Clock.Advance(inbox.Retention / 2)
					purge(t, w)
				})
			}
		}
		wg.Wait()
		addsUp(t, w)
	})
}
