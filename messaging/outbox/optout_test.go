package outbox_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/outbox"
	people "example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
)

func (w *world) optOut(channel gateway.Channel, address string) {
	w.t.Helper()
	w.Write(w.t, func(tx *db.Tx) error {
		_, err := optout.Add(tx, w.Account.ID, channel, address, optout.Requested, w.Clock.Now())
		return err
	})
}

func isCode(a *outbox.Acceptance) { a.Message.Options.Code = true }

// Many messages begin concurrently, on two nodes. Exactly those whose recipient has opted out do not start.
// Rules: M174.
func TestBegin_LeavesWhoOptedOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var keys []outbox.Entry
		for n := range 20 {
			to := fmt.Sprintf("2237610%04d", n)
			change := func(*outbox.Acceptance) {}
			switch n % 5 {
			case 0: // by the address
				w.optOut(gateway.SMS, to)
			case 1: // by the pseudonym
				w.optOut(gateway.SMS, people.NewKey(w.Master).Pseudonym(w.Account.ID, to))
			case 2: // of another channel
				w.optOut(gateway.WhatsApp, to)
			case 3: // a code
				w.optOut(gateway.SMS, to)
				change = isCode
			}
			keys = append(keys, outbox.EntryOf(w.stored(to, "x", change)))
		}
		var begun, optedOut atomic.Int64
		waittest.Together(len(keys), func(n int) {
			b := w.begin(n, keys[n], nil)
			if b.Begun != nil {
				begun.Add(1)
			}
			if b.OptedOut != "" {
				optedOut.Add(1)
			}
			if stopped := b.OptedOut != ""; stopped != (n%5 < 2) || stopped == (b.Begun != nil) {
				w.t.Errorf("message %d: opted out %q, begun %v", n, b.OptedOut, b.Begun != nil)
			}
		})
		w.wants("begun, and opted out", []int64{begun.Load(), optedOut.Load()}, []int64{12, 8})
		w.counts(`SELECT count(*) FROM messages WHERE status = 'QUEUED' AND version = 0`, 8)
		gone := keys[0]
		gone.Version = 7
		if b := w.begin(0, gone, nil); b.OptedOut != "" {
			w.t.Error("one that has changed counts as opted out")
		}
	})
}

// An opt-out does not count toward a sender's day in a warm-up.
func TestBegin_AnOptOutCostsNoDay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		day := &outbox.SenderDay{SenderID: sender, Day: quota.Day(w.Clock.Now()), Limit: 5}
		k := outbox.EntryOf(w.stored(person, "x"))
		w.optOut(gateway.SMS, person)
		if b := w.begin(0, k, day); b.OptedOut == "" || b.DayFull || b.Begun != nil {
			w.t.Errorf("%+v, want opted out", b)
		}
		w.counts(`SELECT COALESCE(SUM(used), 0) FROM sender_counts`, 0)
	})
}

// In a batch that can be sent immediately, messages whose recipient has opted out wait, and the others are sent.
func TestAccept_WhoOptedOutWaits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.optOut(gateway.SMS, "22376100000")
		w.optOut(gateway.SMS, people.NewKey(w.Master).Pseudonym(w.Account.ID, "22376100001"))
		w.optOut(gateway.Email, "22376100002")
		var items []*outbox.Acceptance
		for n := range 4 {
			items = append(items, w.item(fmt.Sprintf("2237610000%d", n), "x", w.atOnce))
		}
		items = append(items, w.item("22376100000", "a code", w.atOnce, isCode))
		w.accept(0, false, items...)
		var begun []bool
		for _, a := range items {
			begun = append(begun, a.Begun())
		}
		w.wants("begun", begun, []bool{false, false, true, true, true})
		w.wants("refusals", refusals(items), make([]outbox.Refusal, 5))
		w.counts(`SELECT count(*) FROM messages WHERE status = 'QUEUED' AND due_at IS NULL`, 2)
	})
}
