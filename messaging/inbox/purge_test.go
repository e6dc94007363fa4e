package inbox_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
)

func purge(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if err := w.Inbox.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Rules: M137.
func TestPurge(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i := range 700 { // more than one transaction takes
			w.Receive(t, awa, fmt.Sprint("a", i), "ancien")
		}
		w.Receive(t, moussa, "m1", "ancien, lu")
		gone := conversationWith(t, w, moussa)
		if _, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, gone.ID); err != nil {
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
		c := conversationWith(t, w, awa)
		if got := texts(messages(t, w, c.ID)); got != "in nouveau" || c.Unread != 1 {
			t.Errorf("left: %s, %+v", got, c)
		}
		if _, err := w.Inbox.Messages(t.Context(), w.LiveCaller, gone.ID, &inbox.Query{Limit: 1}); !isFault(err, apierror.ConversationNotFound) {
			t.Errorf("an empty conversation: %v", err)
		}
		checkCounts(t, w)
		purge(t, w)
		if state(t, w) != after {
			t.Error("a purge of nothing changed something")
		}
		w.Receive(t, moussa, "m3", "de retour")
		if c := conversationWith(t, w, moussa); c.ID == gone.ID || c.Unread != 1 {
			t.Errorf("a new conversation: %+v", c)
		}
	})
}

// Rules: M131, M135.
func TestMarkRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i := range 3 {
			w.Receive(t, awa, fmt.Sprint("a", i), "x")
		}
		w.Receive(t, moussa, "m", "x")
		before, c := state(t, w), conversationWith(t, w, awa)
		m, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		after := state(t, w)
		if m.Previous != before.Revision || m.State != after || after.Revision == before.Revision || after.Unread != 1 || conversationWith(t, w, awa).Unread != 0 {
			t.Errorf("marked %+v, before %+v, after %+v", m, before, after)
		}
		again, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, c.ID)
		if err != nil || again.Previous != after.Revision || again.State != after {
			t.Errorf("again: %+v, %v", again, err)
		}
		w.Receive(t, awa, "a9", "x")
		if conversationWith(t, w, awa).Unread != 1 {
			t.Error("a new message is not unread")
		}
		checkCounts(t, w)
		if _, err := w.Inbox.MarkRead(t.Context(), ownerOf(&account.Account{ID: "another", Plan: w.Account.Plan}), c.ID); !isFault(err, apierror.ConversationNotFound) {
			t.Errorf("another account's: %v", err)
		}
		w.Exec(t, `UPDATE inbox_states SET unread = 1500`)
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
		a, m := conversationWith(t, w, awa), conversationWith(t, w, moussa)
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() { w.Receive(t, []string{awa, moussa}[i%2], fmt.Sprint("n", i), "x") })
			wg.Go(func() {
				if _, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, []*inbox.Conversation{a, m}[i%2].ID); err != nil && !isFault(err, apierror.ConversationNotFound) {
					t.Error(err) // a conversation might have been purged
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
		checkCounts(t, w)
	})
}

// The cost of a purge depends on the number of deleted messages, not on the number of accounts.
func TestPurge_OneTransactionForManyAccounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		const accounts = 600
		w.Receive(t, awa, "kept", "lu plus tard")
		w.Clock.Advance(-time.Hour) // what follows is older than that
		w.Write(t, func(tx *db.Tx) error {
			for i := range accounts {
				if _, err := tx.Exec(`INSERT INTO conversations (id, account_id, person, phone, sender_id, last_at, last_preview, unread, read_to) VALUES ($1, $2, '22376000009', '22376000009', 's', $3, 'x', 1, 0)`,
					fmt.Sprintf("cnv_%026d", i), fmt.Sprintf("acc_%d", i), db.Ms(w.Clock.Now())); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO inbox_messages (id, account_id, conversation_id, direction, channel, type, content, from_address, sender_id, provider_id, revision, at)
 VALUES ($1, $2, $3, 'in', 'whatsapp', 'text', 'x', '22376000009', 's', $1, 1, $4)`, fmt.Sprintf("msg_%026d", i), fmt.Sprintf("acc_%d", i), fmt.Sprintf("cnv_%026d", i), db.Ms(w.Clock.Now())); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO inbox_states (account_id, revision, unread) VALUES ($1, 1, 1)`, fmt.Sprintf("acc_%d", i)); err != nil {
					return err
				}
			}
			return nil
		})
		w.Clock.Advance(inbox.Retention + time.Minute)
		before, _ := d.Stats()
		purge(t, w)
		after, _ := d.Stats()
		if after-before > 3 {
			t.Errorf("%d transactions for %d messages of as many accounts, want 2", after-before, accounts)
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_states WHERE account_id LIKE 'acc\_%' ESCAPE '\' AND revision = 2 AND unread = 0`); n != accounts {
			t.Errorf("%d of %d accounts have an event", n, accounts)
		}
		if n := w.Int(t, `SELECT count(*) FROM conversations`); n != 1 || state(t, w).Unread != 1 {
			t.Errorf("%d conversations are left, and %+v", n, state(t, w))
		}
		checkCounts(t, w)
	})
}

// A message that arrives during the purge, and is as old as the deleted ones, is kept until the next purge, because
// it might not be counted yet.
// Rules: M137.
func TestPurge_WhatCameLatelyStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		in := gateway.Inbound{ID: "late", Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Text: "en retard", At: w.Clock.Now().Add(-inbox.Retention - time.Hour)}
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		w.Receive(t, moussa, "m", "x")
		purge(t, w)
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`); n != 2 {
			t.Errorf("%d messages right after they came, want 2", n)
		}
		w.Clock.Advance(2 * time.Minute)
		purge(t, w)
		if got := texts(messages(t, w, conversationWith(t, w, moussa).ID)); got != "in x" || w.Int(t, `SELECT count(*) FROM inbox_messages`) != 1 {
			t.Errorf("later: %s", got)
		}
		checkCounts(t, w)
	})
}
