package outbox_test

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/webhooks"
)

func TestAccept_Keys(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		first := w.stored(person, "first", keyed("k"))
		again, other, fresh := w.item(person, "again", keyed("k")), w.item(person, "of a project", keyed("k")), w.item(person, "fresh", keyed("k2"))
		other.Message.ProjectID = "prj_1"
		w.accept(0, false, again)
		w.accept(1, false, other)
		w.accept(0, false, fresh)
		w.wants("refusals", refusals([]*outbox.Acceptance{again, other, fresh}), []outbox.Refusal{outbox.KeyTaken, outbox.KeyUsedByOther, outbox.Stored})
		w.counts(`SELECT count(*) FROM messages`, 2)
		w.counts(`SELECT used FROM quotas`, 2)
		w.counts(`SELECT count(*) FROM idempotency_keys WHERE key = 'k' AND message_id = $1`, 1, first.ID)
	})
}

// Rules: M72.
func TestAccept_OneKeyIsOneMessage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		twice := []*outbox.Acceptance{w.item(person, "a", keyed("k")), w.item(person, "b", keyed("k")), w.item(person, "c")}
		w.accept(0, true, twice...)
		w.wants("two of one key in a batch", refusals(twice), []outbox.Refusal{outbox.Stored, outbox.KeyTaken, outbox.Stored})
		var stored, taken atomic.Int64
		waittest.Together(30, func(n int) {
			items := []*outbox.Acceptance{w.item(person, "x", keyed(fmt.Sprint("s", n%3)))}
			if n%2 == 0 {
				items = append(items, w.item(person, "y", keyed(fmt.Sprint("s", (n+1)%3))))
			}
			if err := w.store(n).Accept(t.Context(), items, false); err != nil {
				w.t.Error(err)
			}
			for _, a := range items {
				switch a.Refusal {
				case outbox.Stored:
					stored.Add(1)
				case outbox.KeyTaken:
					taken.Add(1)
				case outbox.KeyUsedByOther, outbox.NoQuota, outbox.RecipientFull, outbox.AccountClosed, outbox.AccountSuspended, outbox.Skipped:
					w.t.Errorf("refusal %d, want stored or taken", a.Refusal)
				}
			}
		})
		w.wants("stored and taken of 45 under three keys", []int64{stored.Load(), taken.Load()}, []int64{3, 42})
		w.counts(`SELECT count(*) FROM messages`, 5)
		w.counts(`SELECT used FROM quotas`, 5)
		w.counts(`SELECT count(*) FROM idempotency_keys`, 4)
	})
}

// Rules: M78.
func TestAccept_TheQuotaIsExact(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const limit = 25
		var stored atomic.Int64
		var most atomic.Int64
		waittest.Together(40, func(n int) {
			var items []*outbox.Acceptance
			for i := range 1 + n%3 {
				items = append(items, w.item(fmt.Sprintf("2237610%04d", n), "x", limited(limit), keyed(fmt.Sprint(n, " ", i))))
			}
			if err := w.store(n).Accept(t.Context(), items, false); err != nil {
				w.t.Error(err)
			}
			for _, a := range items {
				if a.Refusal == outbox.Stored {
					stored.Add(1)
					for used := most.Load(); a.Used > used && !most.CompareAndSwap(used, a.Used); used = most.Load() {
					}
				} else if a.Refusal != outbox.NoQuota {
					w.t.Errorf("refusal %d, want none or NoQuota", a.Refusal)
				}
			}
		})
		w.wants("stored, and the highest count", []int64{stored.Load(), most.Load()}, []int64{limit, limit})
		w.counts(`SELECT used FROM quotas`, limit)
		w.counts(`SELECT count(*) FROM messages`, limit)
		w.counts(`SELECT count(*) FROM idempotency_keys`, limit) // a refusal uses no key
		test := w.item(person, "simulated", limited(limit))
		test.Message.Status = message.Sandbox
		w.accept(0, false, test)
		w.wants("a simulated one: refusal and count", []any{test.Refusal, test.Used}, []any{outbox.Stored, limit})
	})
}

// Rules: M80.
func TestAccept_RecipientCaps(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var stored atomic.Int64
		waittest.Together(40, func(n int) {
			a := w.item(fmt.Sprintf("2237610000%d", n%4), "x", capped(3))
			if err := w.store(n).Accept(t.Context(), []*outbox.Acceptance{a}, false); err != nil {
				w.t.Error(err)
			}
			if a.Refusal == outbox.Stored {
				stored.Add(1)
			} else if a.Refusal != outbox.RecipientFull {
				w.t.Errorf("refusal %d, want none or RecipientFull", a.Refusal)
			}
		})
		w.wants("stored to four people, three each", stored.Load(), 12)
		w.counts(`SELECT count(*) FROM recipient_counts WHERE used = 3`, 4)
		w.counts(`SELECT used FROM quotas`, 12) // a refused message does not count
		none := w.item("22376200001", "no quota", capped(3), limited(12))
		w.accept(0, false, none)
		w.wants("without quota", none.Refusal, outbox.NoQuota)
		w.counts(`SELECT COALESCE(SUM(used), 0) FROM recipient_counts WHERE recipient LIKE '%22376200001'`, 0)
	})
}

func TestAccept_ABatchThatStops(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.stored(person, "before", keyed("taken"))
		batch := func(prefix string) (items []*outbox.Acceptance) {
			for i, key := range []string{"a", "taken", "b", "c", "d"} {
				if key != "taken" {
					key = prefix + key
				}
				items = append(items, w.item(fmt.Sprintf("2237620000%d", i), "x", keyed(key), limited(3)))
			}
			return items
		}
		stops := batch("1")
		w.accept(0, true, stops...)
		w.wants("with stop", refusals(stops), []outbox.Refusal{outbox.Stored, outbox.KeyTaken, outbox.Stored, outbox.NoQuota, outbox.Skipped})
		goes := batch("2")
		w.accept(0, false, goes...)
		w.wants("without", refusals(goes), []outbox.Refusal{outbox.NoQuota, outbox.KeyTaken, outbox.NoQuota, outbox.NoQuota, outbox.NoQuota})
		w.counts(`SELECT count(*) FROM messages`, 3)
		w.counts(`SELECT count(*) FROM idempotency_keys`, 3)
		keys, err := w.store(0).Ready(t.Context(), sender, nil, math.MinInt64, 10)
		if err != nil {
			t.Fatal(err)
		}
		w.wants("the batch in its order", ids(keys)[1:], []string{stops[0].Message.ID, stops[2].Message.ID})
	})
}

var errBeside = errors.New("beside")

func TestAccept_WhatIsStoredBesideEndsItsOwnOnly(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const many = 16
		errs, items := make([]error, many), make([]*outbox.Acceptance, many)
		for n := range items {
			items[n] = w.item(fmt.Sprintf("223763%05d", n), "x", keyed(fmt.Sprint(n)), capped(1))
			items[n].AlsoStore = func(tx *db.Tx, m *message.Message) error {
				if _, err := tx.Exec(`INSERT INTO write_probe (id, tries) VALUES ($1, 0)`, n+1000); err != nil {
					return err
				}
				if n%4 == 0 {
					return errBeside
				}
				return nil
			}
		}
		waittest.Together(many, func(n int) { errs[n] = w.store(n).Accept(t.Context(), items[n:n+1], false) })
		for n, err := range errs {
			if fails := n%4 == 0; fails != errors.Is(err, errBeside) || !fails && (err != nil || items[n].Refusal != outbox.Stored) {
				w.t.Errorf("item %d: %v, refusal %d", n, err, items[n].Refusal)
			}
		}
		for query, want := range map[string]int{
			`SELECT count(*) FROM messages`: 12, `SELECT used FROM quotas`: 12, `SELECT count(*) FROM idempotency_keys`: 12, `SELECT COALESCE(SUM(used), 0) FROM recipient_counts`: 12,
			`SELECT count(*) FROM write_probe WHERE id >= 1000`: 12,
		} {
			w.counts(query, want)
		}
	})
}

func TestAccept_EventsAndTheInbox(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.SetWebhook(t, "http://127.0.0.1:9/")
		w.Receive(t, person, "in1", "hello")
		a := w.item(person, "answer")
		a.Message.Channel, a.Message.From = gateway.WhatsApp, "22370000001"
		test := w.item("22376000002", "simulated")
		test.Message.Status = message.Sandbox
		test.Events = webhooks.Simulated(w.Account, test.Message, w.Clock.Now())
		before := w.Int(t, `SELECT count(*) FROM webhook_events`)
		w.accept(0, false, a, test)
		w.counts(`SELECT count(*) FROM webhook_events`, before+2)
		if m := w.Message(t, a.Message.ID); m.ConversationID == "" {
			w.t.Error("the answer has no conversation, want that of who wrote")
		}
		if m := w.Message(t, test.Message.ID); m.ConversationID != "" || m.Status != message.Sandbox {
			w.t.Errorf("the simulated one is %s in conversation %q, want SANDBOX in none", m.Status, m.ConversationID)
		}
	})
}

// A message that can be submitted immediately is stored as SENDING, unless an earlier one waits.
func TestAccept_Begins(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		first, code, waits := w.item(person, "first", w.atOnce), w.item(person, "code", w.atOnce, secret), w.item("22376000002", "waits")
		w.accept(0, false, first)
		w.accept(0, false, code)
		w.accept(1, false, waits)
		for a, want := range map[*outbox.Acceptance]string{first: "true SENDING 1 1", code: "true SENDING 1 1", waits: "false QUEUED 0 0"} {
			m := w.Message(t, a.Message.ID)
			w.wants(a.Message.Content.Text, fmt.Sprint(a.Begun(), " ", m.Status, " ", m.Version, " ", m.Calls), want)
			w.wants("its time", m.DueAt.Equal(a.BeginUntil), true)
		}
		if w.store(0).SingleNode() {
			return // one process knows all accepted messages
		}
		behind := w.item("22376000002", "behind", w.atOnce)
		w.accept(0, false, behind)
		w.wants("behind one that waits", []any{behind.Begun(), w.Message(t, behind.Message.ID).Status}, []any{false, message.Queued})
	})
}

// A message with a turn does not overtake one of its order key that is accepted in the same commit without a turn,
// because a place in the sender's window became free between the two.
func TestAccept_ATurnBehindAWaitingMessageOfTheSameCommit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other := "22376000002"
		waits, behind := w.item(person, "waits"), w.item(person, "behind", w.atOnce)
		elsewhere, code := w.item(other, "elsewhere", w.atOnce), w.item(person, "code", w.atOnce, secret)
		w.accept(0, false, waits, behind, elsewhere, code)
		for a, want := range map[*outbox.Acceptance]message.Status{waits: message.Queued, behind: message.Queued, elsewhere: message.Sending, code: message.Sending} {
			w.wants(a.Message.Content.Text, w.Message(t, a.Message.ID).Status, want)
			w.wants("begun", a.Begun(), want == message.Sending)
		}
	})
}
