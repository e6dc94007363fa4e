package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func at(w *messagingtest.World, d time.Duration) *message.Request {
	r := text("22376000001")
	r.ScheduledAt = w.Clock.Now().Add(d)
	return r
}

// Rules: M31.
func TestSchedule_WaitsForItsTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		r := at(w, time.Hour)
		r.IdempotencyKey = "k"
		res := w.Submit(t, r)
		if res.Message.Status != message.Scheduled || res.Used != 1 || res.Message.ExpiresAt != messagingtest.Start.Add(25*time.Hour) {
			t.Fatalf("got %+v, used %d", res.Message, res.Used)
		}
		if again := w.Submit(t, r); !again.Deduplicated || again.PayloadMismatch || again.Message.Status != message.Scheduled {
			t.Errorf("replay: %+v", again)
		}
		w.Run(t, w.Delivery)
		w.Clock.Advance(time.Hour - time.Millisecond)
		w.Becomes(t, queued(t, w, w.Clock.Now().Add(time.Hour)), message.Sent) // so Run has looked
		if w.Message(t, res.Message.ID).Status != message.Scheduled {
			t.Error("sent before its time")
		}
		w.Clock.Advance(time.Millisecond)
		m := w.Becomes(t, res.Message.ID, message.Sent)
		if steps, err := m.Timeline.Steps(); err != nil || steps[0].Status != message.Scheduled || m.ScheduledAt != messagingtest.Start.Add(time.Hour) {
			t.Errorf("%v, %v", steps, err)
		}
	})
}

// Rules: M31.
func TestSchedule_APastTimeSendsAtOnce(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	if res := w.Submit(t, at(w, -time.Hour)); res.Message.Status != message.Sent || !res.Message.ScheduledAt.IsZero() {
		t.Errorf("got %+v", res.Message)
	}
	if res := w.Submit(t, at(w, message.MaxAhead)); res.Message.Status != message.Scheduled {
		t.Errorf("a year ahead: %s", res.Message.Status)
	}
}

// Rules: M40.
func TestExpiresAt_EndsAMessageThatWasNotHandedOver(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		r := at(w, time.Hour)
		r.ExpiresAt = w.Clock.Now().Add(2 * time.Hour)
		id := w.Submit(t, r).Message.ID
		w.Clock.Advance(3 * time.Hour) // nobody was there
		w.Run(t, w.Delivery)
		w.Becomes(t, id, message.Expired)
		if len(w.Gateway.Calls()) != 0 || usedQuota(t, w) != 0 {
			t.Errorf("%d attempts, used %d", len(w.Gateway.Calls()), usedQuota(t, w))
		}
		short := secret()
		short.ExpiresAt = w.Clock.Now().Add(time.Hour)
		if m := w.Submit(t, short).Message; m.ExpiresAt != w.Clock.Now().Add(5*time.Minute) {
			t.Errorf("a sensitive message lives until %v", m.ExpiresAt)
		}
	})
}

// A message that waits for its turn expires even if its turn never comes.
// Rules: M40.
func TestExpiresAt_EndsAMessageWhoseTurnNeverComes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.SetState(ofSMS, gateway.Connecting)
		id := w.Submit(t, text("22376000001")).Message.ID
		if m := w.Message(t, id); m.Status != message.Queued || !m.DueAt.IsZero() {
			t.Fatalf("got %s, due %v: want it to wait for its turn", m.Status, m.DueAt)
		}
		w.Clock.Advance(message.Lifetime)
		w.Restart(t, w.NewDelivery())
		w.Becomes(t, id, message.Expired)
		if len(w.Gateway.Calls()) != 0 || usedQuota(t, w) != 0 {
			t.Errorf("%d attempts, used %d: want none", len(w.Gateway.Calls()), usedQuota(t, w))
		}
	})
}

// Rules: M57.
func TestCancel_GivesBackAndSendsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		m := w.Submit(t, at(w, time.Hour)).Message
		for range 2 {
			if after, err := w.Delivery.Cancel(t.Context(), w.LiveCaller, m); err != nil || after.Status != message.Canceled {
				t.Fatalf("%+v, %v", after, err)
			}
		}
		if usedQuota(t, w) != 0 {
			t.Errorf("used %d", usedQuota(t, w))
		}
		w.Clock.Advance(2 * time.Hour)
		w.Run(t, w.Delivery)
		sent := w.Submit(t, text("22376000002")).Message
		if len(w.Gateway.Calls()) != 1 {
			t.Errorf("%d attempts", len(w.Gateway.Calls()))
		}
		if _, err := w.Delivery.Cancel(t.Context(), w.LiveCaller, sent); !errors.Is(err, apierror.NotCancelable.Err()) {
			t.Errorf("a sent message: %v", err)
		}
	})
}

// Rules: M57.
func TestCancel_RacesWithItsTimeAndOneWins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) { return gateway.Ack{}, nil })
		var all []*message.Message
		for i := range 40 {
			r := at(w, time.Minute)
			r.To = fmt.Sprintf("2237600%04d", i) // so that none waits for another
			all = append(all, w.Submit(t, r).Message)
		}
		w.Clock.Advance(time.Minute)
		w.Run(t, w.Delivery)
		canceled := map[string]bool{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, m := range all {
			wg.Go(func() {
				_, err := w.Delivery.Cancel(context.Background(), w.LiveCaller, m)
				mu.Lock()
				defer mu.Unlock()
				canceled[m.ID] = err == nil
			})
		}
		wg.Wait()
		n := 0
		for _, m := range all {
			want := message.Sent
			if canceled[m.ID] {
				want = message.Canceled
			} else {
				n++
			}
			w.Becomes(t, m.ID, want)
		}
		if len(w.Gateway.Calls()) != n || usedQuota(t, w) != n {
			t.Errorf("%d were not canceled: %d sent, %d counted", n, len(w.Gateway.Calls()), usedQuota(t, w))
		}
	})
}
