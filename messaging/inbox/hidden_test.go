package inbox_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
)

func purgeHidden(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if err := w.Inbox.PurgeHidden(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func setPlan(t *testing.T, w *messagingtest.World, plan string) {
	t.Helper()
	if _, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{Plan: &plan}); err != nil {
		t.Fatal(err)
	}
}

// stored counts the conversations and the messages in them, including hidden ones.
func stored(t *testing.T, w *messagingtest.World) string {
	t.Helper()
	return fmt.Sprint(w.Int(t, `SELECT count(*) FROM conversations`), " ", w.Int(t, `SELECT count(*) FROM inbox_messages WHERE conversation_id IS NOT NULL`))
}

// Rules: M138.
func TestPurgeHidden_AfterThirtyDaysWithoutThePlan(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "a1", "Bonjour")
		purgeHidden(t, w)
		setPlan(t, w, "starter")
		purgeHidden(t, w)
		w.Clock.Advance(29 * 24 * time.Hour)
		for i := range 700 { // more than one transaction takes away
			w.Receive(t, moussa, fmt.Sprint("m", i), "Toujours là ?")
		}
		w.Clock.Advance(24*time.Hour - time.Millisecond)
		before := state(t, w)
		purgeHidden(t, w)
		if got := stored(t, w); got != "2 701" || state(t, w) != before {
			t.Errorf("a millisecond early: %s, want 2 701", got)
		}
		w.Clock.Advance(time.Millisecond)
		purgeHidden(t, w)
		if got := stored(t, w); got != "0 0" {
			t.Errorf("after 30 days: %s, want nothing", got)
		}
		if s := state(t, w); s.Unread != 0 || s.Revision == before.Revision {
			t.Errorf("state %+v, before %+v", s, before)
		}
		checkCounts(t, w)

		w.Receive(t, awa, "a2", "Encore moi")
		w.Clock.Advance(10 * 24 * time.Hour)
		purgeHidden(t, w)
		setPlan(t, w, "pro")
		purgeHidden(t, w)
		if got := texts(messages(t, w, conversationWith(t, w, awa).ID)); got != "in Encore moi" {
			t.Errorf("with the plan again: %s", got)
		}
		w.Clock.Advance(10 * 24 * time.Hour)
		setPlan(t, w, "free")
		purgeHidden(t, w)
		w.Clock.Advance(15 * 24 * time.Hour) // the time before the plan came back doesn't count
		purgeHidden(t, w)
		if got := stored(t, w); got != "1 1" {
			t.Errorf("15 days after the plan went again: %s, want 1 1", got)
		}
	})
}

// An expired plan and an ended trial hide the inbox, like a smaller plan. Other accounts are not affected.
// Rules: M138.
func TestPurgeHidden_ByExpiryAndOnlyThere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "a1", "Bonjour")
		expires := w.Clock.Now().Add(time.Hour)
		if _, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{PlanExpiresAt: &expires}); err != nil {
			t.Fatal(err)
		}
		w.Exec(t, `INSERT INTO conversations (id, account_id, person, phone, sender_id, last_at, last_preview, unread, read_to) VALUES ('cnv_00000000000000000000000001', 'another', '22376000009', '22376000009', 's', 0, 'x', 0, 0)`)
		purgeHidden(t, w)
		w.Clock.Advance(time.Hour)
		purgeHidden(t, w)
		w.Clock.Advance(inbox.HiddenTime)
		purgeHidden(t, w)
		if got := stored(t, w); got != "1 0" {
			t.Errorf("got %s, want another account's conversation alone", got)
		}
		if n := w.Int(t, `SELECT count(*) FROM conversations WHERE account_id = 'another'`); n != 1 {
			t.Errorf("another account has %d conversations, want 1", n)
		}
	})
}

// If plans are disabled, no inbox is hidden.
func TestPurgeHidden_PlansOff(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Directory.PlansOff = true
	w.Directory.ForgetAll()
	w.Receive(t, awa, "a1", "Bonjour")
	for range 3 {
		w.Clock.Advance(31 * 24 * time.Hour)
		purgeHidden(t, w)
	}
	if got := stored(t, w); got != "1 1" {
		t.Errorf("got %s, want 1 1", got)
	}
}

// Messages that arrive while the inbox is emptied are either counted or deleted.
func TestPurgeHidden_WhileMessagesCome(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		for i := range 40 {
			w.Receive(t, fmt.Sprint("2237600", 1000+i), fmt.Sprint("old", i), "x")
		}
		purgeHidden(t, w)
		w.Clock.Advance(inbox.HiddenTime)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 40 {
				w.Receive(t, fmt.Sprint("2237600", 1000+i), fmt.Sprint("new", i), "y")
			}
		}()
		purgeHidden(t, w)
		<-done
		checkCounts(t, w)
	})
}
