package delivery_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/outbox"
)

// resume lets a deployment send again.
func resume(t *testing.T, w *messagingtest.World) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) error {
		if resumed, err := outbox.ResumeSending(tx); err != nil || !resumed {
			t.Errorf("resumed %v, %v", resumed, err)
		}
		return nil
	})
}

// A pause that was read is not undone by a read that began before it.
func TestSendingPause_AnEarlierReadDoesNotEndIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = 20 * time.Millisecond })
		see := func() {
			if err := w.Delivery.SeePause(t.Context()); err != nil {
				t.Error(err)
			}
		}
		for i := range 200 {
			var before sync.WaitGroup
			for range 4 {
				before.Go(see)
			}
			w.Write(t, func(tx *db.Tx) error {
				_, err := outbox.PauseSending(tx, &outbox.SendingPause{At: w.Clock.Now(), Reason: outbox.PausedByOperator})
				return err
			})
			see()
			before.Wait()
			if m := w.Submit(t, text(fmt.Sprintf("22376%06d", i))).Message; m.Status != message.Queued {
				t.Fatalf("accepted as %s after the pause was read, want QUEUED", m.Status)
			}
			resume(t, w)
			see()
		}
	})
}

// While the deployment is paused, every process accepts messages and none sends any, for any sender. Afterward, the
// waiting messages are sent.
func TestSendingPause_NobodySendsUntilItEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		stop := w.Run(t, w.Delivery)
		w.Becomes(t, w.Submit(t, text("22376000001")).Message.ID, message.Sent)
		w.Write(t, func(tx *db.Tx) error {
			if paused, err := outbox.PauseSending(tx, &outbox.SendingPause{At: w.Clock.Now(), Reason: outbox.PausedByOperator}); err != nil || !paused {
				t.Errorf("paused %v, %v", paused, err)
			}
			return nil
		})
		if _, err := delivery.Step(t.Context(), w.Delivery); err != nil { // reads the pause
			t.Fatal(err)
		}
		later := w.Submit(t, at(w, time.Hour)).Message
		first := w.Submit(t, text("22376000001")).Message
		if first.Status != message.Queued {
			t.Errorf("accepted as %s, want QUEUED", first.Status)
		}
		stop()
		w.Restart(t, w.NewDelivery())
		w.Clock.Advance(2 * time.Hour)
		w.Eventually(t, "the scheduled message is due", func() (any, bool) {
			m := w.Message(t, later.ID)
			return m.Status, !m.DueAt.After(w.Clock.Now())
		})
		if n := len(w.Gateway.Calls()); n != 1 {
			t.Fatalf("%d calls while sending was paused, want the 1 from before", n)
		}
		resume(t, w)
		w.Becomes(t, later.ID, message.Sent)
		w.Becomes(t, first.ID, message.Sent)
	})
}

// While the deployment is paused, a request doesn't wait for its turn behind messages that wait until the pause ends.
func TestSendingPause_NoRequestWaits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		engine := w.NewDelivery(func(o *delivery.Options) { o.Wait = time.Hour })
		w.Run(t, engine)
		submit := func() <-chan error {
			answered := make(chan error, 1)
			go func() {
				_, err := engine.Submit(t.Context(), w.LiveCaller, text("22376000001"))
				answered <- err
			}()
			return answered
		}
		release := w.Hold(t)
		all := []<-chan error{submit()}
		w.WaitForCalls(t, 1)
		all = append(all, submit())
		w.WaitForInt(t, 1, `SELECT count(*) FROM messages WHERE status = 'QUEUED'`)
		w.Write(t, func(tx *db.Tx) error {
			_, err := outbox.PauseSending(tx, &outbox.SendingPause{At: w.Clock.Now(), Reason: outbox.PausedByOperator})
			return err
		})
		if err := engine.SeePause(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-submit():
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Error("a request waits for a turn that doesn't come before the pause ends")
		}
		release()
		resume(t, w)
		if err := engine.SeePause(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, answered := range all {
			if err := <-answered; err != nil {
				t.Error(err)
			}
		}
	})
}

// Messages that a process might have sent since the backup end, in any status, and are charged like unknown outcomes.
// Messages that were due later are sent when sending is resumed.
func TestEndRestored_NothingIsSentTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://hooks.example/x")
		stored := map[string]*message.Message{}
		add := func(name string, change func(*message.Message)) {
			m := w.Submit(t, at(w, 48*time.Hour)).Message
			change(m)
			stored[name] = m
			w.Exec(t, `UPDATE messages SET status = $1, due_at = $2, calls = $3 WHERE id = $4`, string(m.Status), db.NullMs(m.DueAt), m.Calls, m.ID)
		}
		now := w.Clock.Now()
		add("scheduled, due", func(m *message.Message) { m.DueAt = now.Add(-time.Second) })
		add("scheduled, later", func(m *message.Message) { m.DueAt = now.Add(time.Hour) })
		add("ready", func(m *message.Message) { m.Status, m.DueAt = message.Queued, time.Time{} })
		add("retry, due", func(m *message.Message) { m.Status, m.DueAt, m.Calls = message.Queued, now, 1 })
		add("sending", func(m *message.Message) { m.Status, m.DueAt, m.Calls = message.Sending, now.Add(time.Minute), 1 })
		add("fallback", func(m *message.Message) { m.Status, m.DueAt, m.Calls = message.Sent, now.Add(time.Minute), 1 })
		used := w.Int(t, `SELECT used FROM quotas WHERE account_id = $1`, w.Account.ID)
		w.Write(t, func(tx *db.Tx) error {
			return outbox.PauseRestored(tx, &outbox.SendingPause{At: now, Reason: outbox.PausedByRestore, RestoredFrom: now.Add(-time.Minute), EndBefore: now})
		})
		w.Write(t, func(tx *db.Tx) error {
			if resumed, err := outbox.ResumeSending(tx); err != nil || resumed {
				t.Errorf("resumed %v, %v before the messages have ended", resumed, err)
			}
			return nil
		})
		if err := w.NewDelivery().Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, m := range stored {
			after := w.Message(t, m.ID)
			switch name {
			case "scheduled, later":
				if after.Status != message.Scheduled {
					t.Errorf("%s: %s, want SCHEDULED", name, after.Status)
				}
			case "fallback":
				if after.Status != message.Sent || !after.DueAt.IsZero() {
					t.Errorf("%s: %s due %v, want SENT, no longer due", name, after.Status, after.DueAt)
				}
			default:
				if after.Status != message.Failed || after.Failure == nil || after.Failure.Code != "outcome_unknown" || !after.HandedOver() {
					t.Errorf("%s: %s %+v, want FAILED outcome_unknown", name, after.Status, after.Failure)
				}
			}
		}
		if n := w.Int(t, `SELECT used FROM quotas WHERE account_id = $1`, w.Account.ID); n != used {
			t.Errorf("the quota went from %d to %d", used, n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.status' AND body LIKE '%outcome_unknown%'`); n != 4 {
			t.Errorf("%d events of the unknown outcomes, want 4", n)
		}
		w.Run(t, w.NewDelivery())
		resume(t, w)
		w.Clock.Advance(2 * time.Hour)
		w.Becomes(t, stored["scheduled, later"].ID, message.Sent)
		if n := len(w.Gateway.Calls()); n != 1 {
			t.Errorf("%d calls of the gateway, want 1", n)
		}
	})
}
