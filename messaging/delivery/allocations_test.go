//go:build !race

package delivery_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// The number of allocations of a message in a batch is limited, because a slow growth is not seen in any other test. The
// limits are a seventh above what was measured. Those of single requests are in messaging/api.
func TestAllocations_OfABatch(t *testing.T) {
	for name, path := range map[string]struct {
		most int           // allocations of a message
		wait time.Duration // for the first attempt
		run  func(t *testing.T, w *messagingtest.World, messages int)
	}{
		"at once":          {115, waittest.Limit, submitInBatches},
		"queued, released": {180, time.Millisecond, submitQueued},
	} {
		t.Run(name, func(t *testing.T) {
			w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
			w.ReplaceDelivery(func(o *delivery.Options) { o.Wait, o.Poll = path.wait, time.Second })
			w.Run(t, w.Delivery)
			const messages = 600
			path.run(t, w, messages) // prepares statements, and fills caches
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			path.run(t, w, messages)
			runtime.ReadMemStats(&after)
			if n := int(after.Mallocs-before.Mallocs) / messages; n > path.most {
				t.Errorf("%d allocations of a message, want at most %d (%d bytes)", n, path.most, int(after.TotalAlloc-before.TotalAlloc)/messages)
			}
		})
	}
}

func submitInBatches(t *testing.T, w *messagingtest.World, messages int) {
	const size = 50 // all of them get a turn
	for range messages / size {
		items, errs := batchOf(make([]string, size)...)
		out, err := w.Delivery.SubmitBatch(t.Context(), w.LiveCaller, items, errs, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range out {
			if o.Err != nil || o.Result.Message.Status != message.Sent {
				t.Fatalf("message %d: %v %+v, want it sent", i, o.Err, o.Result)
			}
		}
	}
}

// submitQueued has the gateway hold the first messages until all are accepted. The others wait for their turn.
func submitQueued(t *testing.T, w *messagingtest.World, messages int) {
	held, last := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		<-held
		if calls.Add(1) == int64(messages) {
			close(last)
		}
		return gateway.Ack{}, nil
	})
	items, errs := batchOf(make([]string, messages)...)
	if _, err := w.Delivery.SubmitBatch(t.Context(), w.LiveCaller, items, errs, false); err != nil {
		t.Fatal(err)
	}
	close(held)
	waittest.Receive(t, last)
	w.WaitForInt(t, 0, `SELECT count(*) FROM messages WHERE status <> 'SENT'`)
}
