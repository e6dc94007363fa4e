package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

// advanceUntil moves the clock by at most most, until a message has a status.
func advanceUntil(t *testing.T, w *messagingtest.World, id string, most time.Duration, want message.Status) *message.Message {
	t.Helper()
	last := w.Clock.Now().Add(most)
	return advance(t, w, id, time.Second, string(want)+" by "+last.String(), func(m *message.Message) bool { return m.Status == want || !w.Clock.Now().Before(last) })
}

// waitForRun waits until the engine's Run has read the current time.
func waitForRun(t *testing.T, w *messagingtest.World) {
	t.Helper()
	w.Becomes(t, queued(t, w, w.Clock.Now().Add(time.Hour)), message.Sent)
}

// withLog gives a world an engine that reports when it has noticed that the clock was set back.
func withLog(w *messagingtest.World) (noticed func() (any, bool)) {
	j := &logtest.Recorder{}
	w.ReplaceDelivery(func(o *delivery.Options) { o.Log = j.Logger() })
	return func() (any, bool) { return j.String(), strings.Contains(j.String(), "the clock went back") }
}

// The clock is set back by an hour. Messages that have to wait for seconds still wait for seconds.
func TestClock_BackAnHourHoldsNobodyUp(t *testing.T) {
	hold := map[string]func(t *testing.T, w *messagingtest.World) (id string){
		"a retry": func(t *testing.T, w *messagingtest.World) string {
			failsFirst(w, 1, gateway.Error{Class: gateway.Temporary, Code: "busy"})
			return w.Submit(t, retried(message.Retry{Max: 3, Delay: 10_000})).Message.ID
		},
		"the gateway's pace": func(t *testing.T, w *messagingtest.World) string {
			w.Gateway.SetPace(gateway.Pace{Sender: 6 * time.Second, Pair: 6 * time.Second, Burst: 1})
			w.Submit(t, text("22376000001"))
			return w.Submit(t, text("22376000001")).Message.ID
		},
		"a sender that rests": func(t *testing.T, w *messagingtest.World) string {
			w.Gateway.FailWith(gateway.SenderDown, "down")
			for n := range 9 { // the tenth attempt is waitForRun's
				waitForFailures(t, w, w.Submit(t, text(fmt.Sprintf("223%08d", n))).Message, n+1)
			}
			id := w.Submit(t, text("22376000001")).Message.ID
			w.Gateway.SetScript(nil)
			return id
		},
		"a gateway that connects": func(t *testing.T, w *messagingtest.World) string {
			w.Gateway.SetState(ofSMS, gateway.Connecting)
			id := w.Submit(t, text("22376000001")).Message.ID
			w.Gateway.SetState(ofSMS, gateway.Connected)
			return id
		},
		"an unknown outcome": func(t *testing.T, w *messagingtest.World) string {
			w.Gateway.Deduplicates.Store(true)
			failsFirst(w, 3, gateway.Error{Class: gateway.Unknown, Code: "lost_ack"})
			return w.Submit(t, text("22376000001")).Message.ID
		},
	}
	for name, held := range hold {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "unlimited")
				noticed := withLog(w)
				w.Run(t, w.Delivery)
				waitForRun(t, w)
				id := held(t, w)
				if m := w.Message(t, id); !m.Status.Open() {
					t.Fatalf("it does not wait: %s", m.Status)
				}
				w.Clock.Advance(-time.Hour)
				w.Eventually(t, "a line about the clock in the log", noticed)
				behind := w.Submit(t, text("22376000001")).Message.ID
				advanceUntil(t, w, id, 2*time.Minute, message.Sent)
				advanceUntil(t, w, behind, 2*time.Minute, message.Sent)
				if fresh := w.Submit(t, text("22376000002")).Message; fresh.Status != message.Sent && name != "the gateway's pace" {
					t.Errorf("a new one is %s", fresh.Status)
				}
			})
		})
	}
}

// The clock is set back by an hour while an outcome is unknown. The decision is made a minute later, and the message
// is not sent again.
func TestClock_BackAnHourDecidesAnUnknownOutcome(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		noticed := withLog(w)
		w.Run(t, w.Delivery)
		waitForRun(t, w)
		w.Gateway.FailWith(gateway.Unknown, "lost_ack")
		id := w.Submit(t, text("22376000001")).Message.ID
		w.Gateway.SetScript(nil)
		w.Clock.Advance(-time.Hour)
		w.Eventually(t, "a line about the clock in the log", noticed)
		m := advanceUntil(t, w, id, 3*time.Minute, message.Failed)
		if m.Failure.Code != "outcome_unknown" || len(w.Gateway.Calls()) != 2 { // one call is of waitForRun
			t.Errorf("%s after %d attempts", m.Failure.Code, len(w.Gateway.Calls()))
		}
	})
}

// The clock jumps ahead by an hour during a call, so the lease has expired. The gateway's response is still used, and
// a gateway that does not deduplicate is called once.
func TestClock_AnHourOnWhileAGatewayIsAsked(t *testing.T) {
	for _, deduplicates := range []bool{true, false} {
		t.Run(fmt.Sprint(deduplicates), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				w.SetWebhook(t, "https://example.com/hook")
				w.Gateway.Deduplicates.Store(deduplicates)
				release := make(chan struct{})
				w.Gateway.SetScript(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
					select {
					case <-release:
					case <-ctx.Done():
					}
					return gateway.Ack{ProviderID: "p"}, nil
				})
				e := w.NewDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
				w.Run(t, e)
				res, err := e.Submit(t.Context(), w.LiveCaller, text("22376000001"))
				if err != nil {
					t.Fatal(err)
				}
				w.WaitForCalls(t, 1)
				w.Clock.Advance(time.Hour)
				close(release)
				m := w.Becomes(t, res.Message.ID, message.Sent)
				if asked := len(w.Gateway.Calls()); m.ProviderID != "p" || !m.DueAt.IsZero() || (asked > 1 && !deduplicates) {
					t.Errorf("%+v after %d attempts", m, asked)
				}
				if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.status'`); n != 1 {
					t.Errorf("%d events, want 1", n)
				}
				if n := w.Int(t, `SELECT SUM(used) FROM quotas`); n != 1 {
					t.Errorf("counted %d", n)
				}
			})
		})
	}
}

// A scheduled message that was sent is not sent again when its hour occurs twice, and one that was not sent waits for its time.
func TestClock_AScheduleGoesOffOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Run(t, w.Delivery)
		first, second := w.Submit(t, at(w, 30*time.Minute)).Message.ID, w.Submit(t, at(w, 90*time.Minute)).Message.ID
		w.Clock.Advance(time.Hour)
		w.Becomes(t, first, message.Sent)
		w.Clock.Advance(-time.Hour)
		waitForRun(t, w)
		if s := w.Message(t, second).Status; s != message.Scheduled {
			t.Errorf("the later one is %s", s)
		}
		w.Clock.Advance(45 * time.Minute)
		waitForRun(t, w)
		w.Clock.Advance(46 * time.Minute)
		w.Becomes(t, second, message.Sent)
		refs := map[string]int{}
		for _, out := range w.Gateway.Calls() {
			refs[out.Ref]++
		}
		if refs[first] != 1 || refs[second] != 1 {
			t.Errorf("handed over %v", refs)
		}
	})
}

// The clock jumps ahead by an hour. Expired messages end, unsent and without a charge. Others are sent.
func TestClock_AnHourOnExpires(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.FailWith(gateway.Temporary, "busy")
		long := w.Submit(t, retried(message.Retry{Max: 3, Delay: 60_000})).Message.ID
		r := secret()
		r.To, r.Retry = "22376000002", message.Retry{Max: 3, Delay: 60_000}
		code := w.Submit(t, r).Message.ID
		w.Gateway.SetScript(nil)
		w.Clock.Advance(time.Hour)
		w.Run(t, w.Delivery)
		w.Becomes(t, long, message.Sent)
		w.Becomes(t, code, message.Expired)
		if len(w.Gateway.Calls()) != 3 || usedQuota(t, w) != 1 {
			t.Errorf("%d attempts, %d counted", len(w.Gateway.Calls()), usedQuota(t, w))
		}
	})
}

// The quota is refunded on the day that was charged, even if it is now another day: the next one, or, if the clock
// was set back, the previous one.
// Rules: M75, M79.
func TestClock_TheUnitGoesBackToTheDayThatWasCharged(t *testing.T) {
	ends := map[string]func(t *testing.T, w *messagingtest.World, m *message.Message){
		"it fails": func(t *testing.T, w *messagingtest.World, m *message.Message) {
			w.Run(t, w.Delivery)
			advanceUntil(t, w, m.ID, 3*time.Minute, message.Failed)
		},
		"it is canceled": func(t *testing.T, w *messagingtest.World, m *message.Message) {
			if after, err := w.Delivery.Cancel(t.Context(), w.LiveCaller, m); err != nil || after.Status != message.Canceled {
				t.Fatalf("%+v, %v", after, err)
			}
		},
		"it expires": func(t *testing.T, w *messagingtest.World, m *message.Message) {
			w.Clock.Advance(m.ExpiresAt.Sub(w.Clock.Now()))
			w.Run(t, w.Delivery)
			w.Becomes(t, m.ID, message.Expired)
		},
	}
	for name, end := range ends {
		for _, jump := range []time.Duration{time.Minute, -time.Minute} {
			t.Run(fmt.Sprintf("%s %v later", name, jump), func(t *testing.T) {
				dbtest.Each(t, func(t *testing.T, d *db.DB) {
					w := messagingtest.New(t, d, "free")
					midnight := messagingtest.Start.Truncate(24 * time.Hour).Add(24 * time.Hour)
					w.Clock.Advance(midnight.Sub(messagingtest.Start) - jump/2) // half a minute before midnight, or after it
					charged := quota.Day(w.Clock.Now())
					w.Gateway.FailWith(gateway.Temporary, "busy")
					m := w.Submit(t, retried(message.Retry{Max: 2, Delay: 60_000})).Message
					w.Clock.Advance(jump)
					other := quota.Day(w.Clock.Now())
					if other == charged {
						t.Fatal("this is no other day")
					}
					w.Gateway.SetScript(nil)
					w.Submit(t, text("22376000009"))
					w.Gateway.FailWith(gateway.Temporary, "busy")
					end(t, w, m)
					on := func(day int64) int {
						return w.Int(t, `SELECT COALESCE(SUM(used), 0) FROM quotas WHERE day = $1`, day)
					}
					if on(charged) != 0 || on(other) != 1 {
						t.Errorf("the day that was charged counts %d, the other %d", on(charged), on(other))
					}
				})
			})
		}
	}
}

// An engine whose context has ended does not wait for a hanging gateway. The next process handles its message.
func TestRun_DoesNotWaitForAGatewayThatHangs(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	never := make(chan struct{})
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		<-never
		return gateway.Ack{}, errors.New("too late")
	})
	e := w.NewDelivery(func(o *delivery.Options) { o.Wait, o.Drain = time.Millisecond, 10*time.Millisecond })
	stop := w.Run(t, e)
	res, err := e.Submit(t.Context(), w.LiveCaller, text("22376000001"))
	if err != nil {
		t.Fatal(err)
	}
	w.WaitForCalls(t, 1)
	stop()
	if m := w.Message(t, res.Message.ID); m.Status != message.Sending || m.DueAt.IsZero() {
		t.Errorf("it is left as %s, due %v", m.Status, m.DueAt)
	}
	close(never)
}
