package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// Above the limit of messages in progress, the next one is refused immediately, in this process and in one that
// starts later. Each ended message makes room.
// Rules: M85.
func TestBacklog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		bounded := func() *delivery.Service {
			return w.NewDelivery(func(o *delivery.Options) { o.MaxBacklog, o.Wait = 3, time.Microsecond })
		}
		w.Delivery = bounded()
		counted := func(e *delivery.Service) { // the first message of a second starts a count of the rows, in the background
			t.Helper()
			w.Eventually(t, "the rows counted", func() (any, bool) { return "not yet", !delivery.CountsBacklog(e) })
		}
		accept := func(r *message.Request) { // messages that ended after their requests are counted until the rows are
			t.Helper()
			w.Eventually(t, "room for another", func() (any, bool) {
				_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r)
				if err != nil {
					w.Clock.Advance(2 * time.Second)
				}
				return err, err == nil
			})
			counted(w.Delivery)
		}
		for i := range 10 { // ended messages are not in progress
			accept(text(fmt.Sprintf("223760000%02d", i)))
		}
		w.WaitForInt(t, 0, `SELECT count(*) FROM messages WHERE status IN ('QUEUED', 'SENDING')`)
		w.Clock.Advance(2 * time.Second)
		release := make(chan struct{})
		w.Gateway.SetScript(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
		})
		accept(keyed("known"))
		w.WaitForCalls(t, 11)
		w.Submit(t, text("22376000091"))
		w.Submit(t, text("22376000092"))
		full := func(e *delivery.Service) bool {
			t.Helper()
			_, err := e.Submit(t.Context(), w.LiveCaller, text("22376000093"))
			f := apierror.As(err, apierror.Internal)
			if err == nil {
				return false
			}
			if !errors.Is(err, apierror.TooMuchUnderWay.Err()) || f.RetryAfter <= 0 {
				t.Fatalf("got %v", err)
			}
			return true
		}
		if !full(w.Delivery) {
			t.Fatal("a fourth is under way")
		}
		if res := w.Submit(t, keyed("known")); !res.Deduplicated {
			t.Error("a known key is no longer answered")
		}
		simulated := text("22376000094")
		simulated.Sandbox = true
		w.Submit(t, simulated)
		later := text("22376000095")
		later.ScheduledAt = w.Clock.Now().Add(time.Hour)
		w.Submit(t, later)
		rows := w.Int(t, `SELECT count(*) FROM messages`)
		next := bounded()
		full(next)
		counted(next)
		if !full(next) {
			t.Error("a process that has counted the rows accepts another one")
		}
		w.Gateway.SetScript(nil)
		close(release)
		w.Run(t, w.Delivery) // for messages that the second process has accepted behind others
		w.WaitForInt(t, 0, `SELECT count(*) FROM messages WHERE status IN ('QUEUED', 'SENDING')`)
		w.Clock.Advance(2 * time.Second)
		full(w.Delivery)
		counted(w.Delivery)
		if full(w.Delivery) {
			t.Error("what has ended makes no room")
		}
		if w.Int(t, `SELECT count(*) FROM messages`) <= rows {
			t.Error("what was accepted is not stored")
		}
	})
}
