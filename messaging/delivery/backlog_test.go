package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/fault"
	"griot/messaging/delivery"
	"griot/messaging/messagingtest"
)

// Beyond so many messages under way, the next one is refused at once, in this process and in one that starts later; what ends makes room.
func TestCeiling(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		bounded := func() *delivery.Service {
			return w.NewEngine(func(o *delivery.Options) { o.MaxBacklog, o.Wait = 3, 10*time.Millisecond })
		}
		w.Engine = bounded()
		for i := range 10 { // what ends within its request is not under way
			submit(t, w, text(fmt.Sprintf("223760000%02d", i)))
		}
		release := make(chan struct{})
		w.Gateway.Does(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
		})
		submit(t, w, keyed("known"))
		waitFor(t, func() bool { return len(w.Gateway.Asked()) == 11 })
		submit(t, w, text("22376000091"))
		submit(t, w, text("22376000092"))
		full := func(e *delivery.Service) bool {
			t.Helper()
			_, err := e.Submit(t.Context(), w.Live, text("22376000093"))
			f := fault.As(err, fault.Internal)
			if err == nil {
				return false
			}
			if !errors.Is(err, fault.TooMuchUnderWay.Err()) || f.RetryAfter <= 0 {
				t.Fatalf("got %v", err)
			}
			return true
		}
		if !full(w.Engine) {
			t.Fatal("a fourth is under way")
		}
		if res := submit(t, w, keyed("known")); !res.Deduplicated {
			t.Error("a known key is no longer answered")
		}
		simulated := text("22376000094")
		simulated.Sandbox = true
		submit(t, w, simulated)
		later := text("22376000095")
		later.ScheduledAt = w.Clock.Now().Add(time.Hour)
		submit(t, w, later)
		rows := w.Int(t, `SELECT count(*) FROM messages`)
		next := bounded()
		waitFor(t, func() bool { // its first look comes beside its first message
			w.Clock.Advance(2 * time.Second)
			return full(next)
		})
		w.Gateway.Does(nil)
		close(release)
		waitFor(t, func() bool { return w.Int(t, `SELECT count(*) FROM messages WHERE status = 'SENT'`) >= 13 })
		waitFor(t, func() bool {
			w.Clock.Advance(2 * time.Second)
			return !full(w.Engine)
		})
		if w.Int(t, `SELECT count(*) FROM messages`) <= rows {
			t.Error("what was accepted is not stored")
		}
	})
}
