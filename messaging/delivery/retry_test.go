package delivery_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// failsFirst makes the first n attempts fail.
func failsFirst(w *messagingtest.World, n int64, e gateway.Error) {
	var asked atomic.Int64
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if asked.Add(1) <= n {
			failure := e
			return gateway.Ack{}, &failure
		}
		return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
	})
}

func retried(r message.Retry) *message.Request {
	q := text("22376000001")
	q.Retry = r
	return q
}

// advance moves the clock while a message only waits, until ok returns true.
func advance(t *testing.T, w *messagingtest.World, id string, by time.Duration, want string, ok func(*message.Message) bool) *message.Message {
	t.Helper()
	waits := func(m *message.Message) bool {
		busy, err := delivery.Step(t.Context(), w.Delivery)
		if err != nil {
			t.Fatal(err)
		}
		ready := m.Status == message.Queued && m.DueAt.IsZero()
		return busy == 0 && w.Message(t, id).Version == m.Version && (ready || w.Clock.Now().Before(m.DueAt))
	}
	w.Until(t, id, want, func(m *message.Message) bool {
		for ; !ok(m) && waits(m); m = w.Message(t, id) {
			w.Clock.Advance(by)
		}
		return ok(m)
	})
	return w.Message(t, id)
}

// advanceUntilClosed moves the clock until a message is no longer being sent.
func advanceUntilClosed(t *testing.T, w *messagingtest.World, id string, by time.Duration) *message.Message {
	t.Helper()
	return advance(t, w, id, by, "no longer on its way", func(m *message.Message) bool { return !m.Status.Open() })
}

// Rules: M32, M54.
func TestRetry(t *testing.T) {
	thrice := message.Retry{Max: 3, Delay: 1000}
	for name, tc := range map[string]struct {
		retry  message.Retry
		fails  int64
		err    gateway.Error
		status message.Status
		asked  int
		used   int
	}{
		"the second attempt works":   {thrice, 1, gateway.Error{Class: gateway.Temporary, Code: "busy"}, message.Sent, 2, 1},
		"the third attempt works":    {thrice, 2, gateway.Error{Class: gateway.SenderDown, Code: "down"}, message.Sent, 3, 1},
		"three and no more":          {thrice, 9, gateway.Error{Class: gateway.Temporary, Code: "busy"}, message.Failed, 3, 0},
		"not when it is permanent":   {thrice, 9, gateway.Error{Class: gateway.Permanent, Code: "never"}, message.Failed, 1, 0},
		"not when it is unreachable": {thrice, 9, gateway.Error{Class: gateway.Unreachable, Code: "nobody"}, message.Failed, 1, 0},
		"one attempt":                {message.Retry{Max: 1, Delay: 1000}, 9, gateway.Error{Class: gateway.Temporary, Code: "busy"}, message.Failed, 1, 0},
		"not asked for":              {message.Retry{}, 9, gateway.Error{Class: gateway.Temporary, Code: "busy"}, message.Failed, 1, 0},
		"not beyond its life":        {thrice, 9, gateway.Error{Class: gateway.RateLimited, Code: "slow", RetryAfter: 25 * time.Hour}, message.Failed, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				w.Run(t, w.Delivery)
				failsFirst(w, tc.fails, tc.err)
				res := w.Submit(t, retried(tc.retry))
				m := advanceUntilClosed(t, w, res.Message.ID, 100*time.Millisecond)
				if m.Status != tc.status || len(w.Gateway.Calls()) != tc.asked || m.Calls != tc.asked || usedQuota(t, w) != tc.used {
					t.Errorf("%s after %d attempts (%d counted), used %d; want %s, %d, %d", m.Status, len(w.Gateway.Calls()), m.Calls, usedQuota(t, w), tc.status, tc.asked, tc.used)
				}
				for _, out := range w.Gateway.Calls() {
					if out.Ref != m.ID {
						t.Errorf("reference %s", out.Ref)
					}
				}
			})
		})
	}
}

// Rules: M32.
func TestRetry_WaitsLongerEachTimeAndAsLongAsTheGatewaySays(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Gateway.FailWith(gateway.Temporary, "busy")
	id := w.Submit(t, retried(message.Retry{Max: 10, Delay: 1000})).Message.ID
	w.Run(t, w.Delivery)
	for n, want := 1, time.Second; n < 5; n, want = n+1, 2*want {
		m := w.Until(t, id, fmt.Sprint("QUEUED after ", n, " attempts"), func(m *message.Message) bool { return m.Status == message.Queued && m.Tries == n })
		wait := m.DueAt.Sub(w.Clock.Now())
		if wait < want*8/10 || wait > want*12/10 {
			t.Errorf("try %d waits %v, want %v give or take a fifth", n+1, wait, want)
		}
		w.Clock.Advance(wait)
	}
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		return gateway.Ack{}, &gateway.Error{Class: gateway.RateLimited, Code: "slow", RetryAfter: 10 * time.Minute}
	})
	w.Until(t, id, "5 attempts", func(m *message.Message) bool { return m.Tries == 5 })
	w.Clock.Advance(w.Message(t, id).DueAt.Sub(w.Clock.Now()))
	m := w.Until(t, id, "6 attempts", func(m *message.Message) bool { return m.Tries == 6 })
	if wait := m.DueAt.Sub(w.Clock.Now()); wait < 10*time.Minute {
		t.Errorf("waits %v, the gateway asked for ten minutes", wait)
	}
}

// Rules: M32.
func TestRetry_EachRouteHasItsOwnAttempts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		failsFrom(w, gateway.Temporary, first)
		r := auto()
		r.Retry = message.Retry{Max: 2, Delay: 100}
		m := advanceUntilClosed(t, w, w.Submit(t, r).Message.ID, 100*time.Millisecond)
		if m.Status != message.Sent || routesTried(w) != first+" "+first+" "+ofSMS {
			t.Errorf("%s by %s", m.Status, routesTried(w))
		}
	})
}
