package outbox_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/outbox"
)

// For any accepted, refused, and changed messages, in any process and any batches, with late transitions, and
// whenever the log is folded, the counters are equal to those of a scan of the messages.
// Rules: M188.
func TestCounts_AgreeWithTheMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dbtest.Property(t, d, 20, func(t testing.TB, r *rapid.T, n int) {
			w := &counted{world: propertyWorld(t, d, n)}
			for range rapid.IntRange(1, 6).Draw(r, "steps") {
				switch rapid.IntRange(0, 5).Draw(r, "what") {
				case 0, 1:
					w.acceptSome(t, r)
				case 2, 3, 4:
					w.changeSome(t, r)
				case 5:
					var folds sync.WaitGroup
					for range 2 {
						folds.Go(func() { w.FoldCounts(t) })
					}
					folds.Wait()
				}
				w.Clock.Advance(rapid.SampledFrom([]time.Duration{time.Millisecond, 3 * time.Second, time.Hour, 20 * time.Hour}).Draw(r, "time"))
			}
			w.CheckCounts(t)
		})
	})
}

func propertyWorld(t testing.TB, d *db.DB, n int) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, "free", func(s *account.Spec) {
		s.Email, s.Senders = fmt.Sprintf("counts-%d@example.com", n), nil
	})}
	for range 2 {
		s := newStore(t, w.World)
		if w.stores = append(w.stores, s); s.SingleNode() {
			break
		}
	}
	return w
}

// counted is a world with the messages stored in it.
type counted struct {
	*world
	ids []string
	n   int
}

// acceptSome accepts a few messages concurrently. The quota and repeated keys refuse some.
func (w *counted) acceptSome(t testing.TB, r *rapid.T) {
	var all []*outbox.Acceptance
	var callers sync.WaitGroup
	for range rapid.IntRange(1, 3).Draw(r, "callers") {
		var items []*outbox.Acceptance
		for range rapid.IntRange(1, 4).Draw(r, "messages") {
			w.n++
			a := w.item(fmt.Sprintf("2237600%04d", w.n), "x", limited(rapid.SampledFrom([]int64{0, 0, 3}).Draw(r, "limit")))
			m := a.Message
			m.Channel, m.ProjectID = rapid.SampledFrom([]gateway.Channel{gateway.SMS, gateway.WhatsApp}).Draw(r, "channel"), rapid.SampledFrom([]string{"", "prj_1"}).Draw(r, "project")
			switch rapid.IntRange(0, 5).Draw(r, "kind") {
			case 0:
				m.Status = message.Sandbox
			case 1:
				m.Status, m.ScheduledAt, m.DueAt = message.Scheduled, m.CreatedAt.Add(time.Hour), m.CreatedAt.Add(time.Hour)
			case 2:
				w.atOnce(a)
			case 3:
				a.Key, a.Fingerprint = "key", "print"
			}
			items = append(items, a)
		}
		all = append(all, items...)
		store, stop := w.store(w.n), rapid.Bool().Draw(r, "stop")
		callers.Go(func() {
			if err := store.Accept(t.Context(), items, stop); err != nil {
				t.Errorf("accept: %v", err)
			}
		})
	}
	callers.Wait()
	for _, a := range all {
		if a.Refusal == outbox.Stored {
			w.ids = append(w.ids, a.Message.ID)
		}
	}
}

// changeSome changes messages concurrently, some of them twice, so that one of the transitions finds another version.
func (w *counted) changeSome(t testing.TB, r *rapid.T) {
	var callers sync.WaitGroup
	for range rapid.IntRange(1, 6).Draw(r, "changes") {
		if len(w.ids) == 0 {
			return
		}
		m := w.Message(t, rapid.SampledFrom(w.ids).Draw(r, "message"))
		if m.Status == message.Sandbox {
			continue
		}
		store := w.store(rapid.IntRange(0, 1).Draw(r, "store"))
		if begins := rapid.IntRange(0, 5).Draw(r, "begins") == 0; begins && m.Status == message.Queued {
			callers.Go(func() {
				if err := store.Begin(t.Context(), []*outbox.Begin{{Message: m, Until: w.Clock.Now().Add(time.Minute)}}); err != nil {
					t.Errorf("begin: %v", err)
				}
			})
			continue
		}
		change := w.change(r, m)
		callers.Go(func() {
			if _, err := store.Apply(t.Context(), change); err != nil {
				t.Errorf("apply: %v", err)
			}
		})
	}
	callers.Wait()
}

func (w *counted) change(r *rapid.T, m *message.Message) *outbox.Transition {
	s := rapid.SampledFrom([]message.Status{message.Queued, message.Sent, message.Delivered, message.Read, message.Failed, message.Expired, message.Canceled}).Draw(r, "status")
	change := w.to(m, s)
	after := change.Message
	now := w.Clock.Now()
	switch s {
	case message.Queued: // by its next route
		change.RouteChanged = true
		after.Tried = append(after.Tried[:len(after.Tried):len(after.Tried)], m.Route())
		after.Channel, after.Failure = rapid.SampledFrom([]gateway.Channel{gateway.SMS, gateway.Email}).Draw(r, "route"), nil
		after.RouteIndex++
	case message.Delivered, message.Read:
		after.Price = rapid.SampledFrom([]message.Price{after.Price, "+utility", "-service"}).Draw(r, "price")
		after.DeliveredAt = now
		if s == message.Read {
			after.ReadAt = now
		}
	case message.Failed, message.Expired:
		after.Failure = rapid.SampledFrom([]*message.Failure{nil, {Code: "unreachable", Class: gateway.Unreachable}, {Code: "expired", Class: gateway.Permanent}}).Draw(r, "failure")
	case message.Scheduled, message.Sending, message.Sent, message.Canceled, message.Sandbox:
	}
	return change
}
