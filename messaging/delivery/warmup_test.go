package delivery_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

// warmsUp gives a sender of each world a warm-up that begins today.
func warmsUp(address string, first, days int64) func(*account.Spec) {
	return func(s *account.Spec) {
		for i := range s.Senders {
			if s.Senders[i].Address == address {
				s.Senders[i].WarmUp = account.WarmUp{From: quota.Day(messagingtest.Start), First: first, Days: days}
			}
		}
	}
}

func sentBy(w *messagingtest.World, from string) (n int) {
	for _, out := range w.Gateway.Calls() {
		if out.From == from {
			n++
		}
	}
	return n
}

// A new sender sends a fixed number on its first day and twice as many on the next, in any process. The other
// messages wait for the next day, and their timelines show it.
func TestWarmUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", warmsUp(ofSMS, 2, 2))
		tomorrow := messagingtest.Start.Truncate(24 * time.Hour).Add(24 * time.Hour)
		var held []string
		stop := w.Run(t, w.Delivery)
		for n := range 5 {
			if n == 3 {
				stop()
				w.ReplaceDelivery() // another process, after the first
				w.Run(t, w.Delivery)
			}
			m := w.Submit(t, text(fmt.Sprintf("223%08d", n))).Message
			if want := map[bool]message.Status{true: message.Sent, false: message.Queued}[n < 2]; m.Status != want {
				t.Fatalf("message %d is %s, want %s", n, m.Status, want)
			}
			if m.Status == message.Queued {
				held = append(held, m.ID)
			}
		}
		m := w.Message(t, held[0])
		steps, err := m.Timeline.Steps()
		if note := steps[len(steps)-1].Sentence(); err != nil || !m.DueAt.Equal(tomorrow) || m.Calls != 0 || !strings.HasSuffix(note, "waits until 2026-03-05T00:00:00Z") {
			t.Errorf("due %v after %d calls, %q", m.DueAt, m.Calls, note)
		}
		r := text("22376000001")
		r.Channel = gateway.WhatsApp
		if m := w.Submit(t, r).Message; m.Status != message.Sent {
			t.Errorf("another sender's is %s", m.Status)
		}
		w.Clock.Advance(tomorrow.Sub(w.Clock.Now()) - time.Second)
		w.Submit(t, text("22376000003")) // it takes no place of today's: there is none
		if n := sentBy(w, ofSMS); n != 2 {
			t.Errorf("%d went before the day was over", n)
		}
		w.Clock.Advance(2 * time.Second)
		for _, id := range held {
			w.Becomes(t, id, message.Sent)
		}
		w.Eventually(t, "6 messages by SMS", func() (any, bool) { n := sentBy(w, ofSMS); return n, n == 6 })
		if m := w.Submit(t, text("22376000002")).Message; m.Status != message.Queued {
			t.Errorf("beyond the second day's four: %s", m.Status)
		}
		w.Clock.Advance(24 * time.Hour)
		for n := range 20 {
			if m := w.Submit(t, text(fmt.Sprintf("223%08d", n))).Message; m.Status != message.Sent {
				t.Fatalf("it has warmed up, and message %d is %s", n, m.Status)
			}
		}
	})
}

// Two concurrent processes do not exceed the daily limit.
func TestWarmUp_Race(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", warmsUp(ofSMS, 7, 5))
		engines := twoNodes(t, w)
		var all sync.WaitGroup
		for n := range 40 {
			all.Go(func() {
				if _, err := engines[n%2].Submit(context.Background(), w.LiveCaller, text(fmt.Sprintf("223%08d", n))); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n, counted := sentBy(w, ofSMS), w.Int(t, `SELECT used FROM sender_counts`); n != 7 || counted != 7 {
			t.Errorf("%d went, %d are counted, want 7", n, counted)
		}
	})
}

func TestWarmUp_AutoTakesTheNextRoute(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", warmsUp(first, 1, 5))
		w.Run(t, w.Delivery)
		on := auto()
		on.Channel, on.Email = gateway.WhatsApp, ""
		w.Submit(t, on)
		held := w.Submit(t, on).Message
		m := w.Submit(t, auto()).Message // to the one for whom another waits already
		if held.Status != message.Queued || m.Status != message.Sent || m.From != ofSMS {
			t.Errorf("%s; auto is %s by %s", held.Status, m.Status, m.From)
		}
		tl := w.Message(t, m.ID).Timeline
		if steps, err := tl.Steps(); err != nil || !slices.ContainsFunc(steps, func(s message.Step) bool {
			return s.Failure != nil && s.Failure.Code == "sender_warming_up" && s.Note == message.Note{Kind: message.NoteLeft, To: gateway.SMS}
		}) {
			t.Errorf("timeline %s, %v, want it to leave the warming-up sender for sms", tl, err)
		}
		other := auto()
		other.To = "+22376000009"
		if m := w.Submit(t, other).Message; m.Status != message.Sent || m.From != ofSMS {
			t.Errorf("auto to another is %s by %s", m.Status, m.From)
		}
	})
}

// Messages that were not submitted are not counted. Messages that might have been are counted.
func TestWarmUp_CountsWhatMayHaveGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for class, want := range map[gateway.Class]int{gateway.Permanent: 0, gateway.SenderDown: 0, gateway.Unknown: 1, "": 1} {
			w := messagingtest.New(t, d, "unlimited", func(s *account.Spec) { s.Email = string(class) + "@example.com"; s.Senders = nil })
			s, err := w.Directory.AddSender(t.Context(), account.Sender{
				AccountID: w.Account.ID, Channel: gateway.SMS, Address: fmt.Sprintf("2237100000%d", len(class)), Gateway: "fake",
				WarmUp: account.WarmUp{From: quota.Day(messagingtest.Start), First: 5, Days: 5},
			}, false, func(*db.Tx, string) (bool, error) { return true, nil })
			if err != nil {
				t.Fatal(err)
			}
			w.LiveCaller.Account, err = w.Directory.Account(t.Context(), w.Account.ID)
			if err != nil {
				t.Fatal(err)
			}
			if class != "" {
				w.Gateway.FailWith(class, "code")
			}
			stop := w.Run(t, w.Delivery)
			w.Submit(t, text("22376000001"))
			stop()
			if used := w.Int(t, `SELECT used FROM sender_counts WHERE sender_id = $1`, s.ID); used != want {
				t.Errorf("%q: %d are counted, want %d", class, used, want)
			}
		}
	})
}

func TestWarmUp_WhatCannotWait(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "unlimited", warmsUp(ofSMS, 1, 5))
	w.Run(t, w.Delivery)
	w.Submit(t, text("22376000001"))
	code := text("22376000002")
	code.Sensitive = true
	if m := w.Submit(t, code).Message; m.Status != message.Sent {
		t.Errorf("a code is %s", m.Status)
	}
	short := text("22376000003")
	short.ExpiresAt = w.Clock.Now().Add(time.Hour)
	behind := text("22376000003")
	behind.ExpiresAt = w.Clock.Now().Add(2 * time.Hour)
	ids := []string{w.Submit(t, short).Message.ID, w.Submit(t, behind).Message.ID}
	for _, id := range ids {
		w.Clock.Advance(time.Hour)
		w.Becomes(t, id, message.Expired)
	}
}
