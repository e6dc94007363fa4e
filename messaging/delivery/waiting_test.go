package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// newKillable returns an engine that can be killed. From then on, it does nothing more, but its messages at a gateway
// stay there. die waits for the messages that are being marked as SENDING, because those of a dead process are stored
// either before the next one starts or never.
func newKillable(t *testing.T, w *messagingtest.World) (e *delivery.Service, die func()) {
	var dead atomic.Bool
	var beginning atomic.Int64
	e = w.NewDelivery(func(o *delivery.Options) {
		o.Wait, o.Drain = time.Millisecond, time.Millisecond
		o.Failpoint = func(name string) {
			if name == "begin.before" {
				beginning.Add(1)
			}
			gone := dead.Load() // after it counts: die sees it, or it sees that the engine is dead
			if name == "begin.after" || name == "begin.before" && gone {
				beginning.Add(-1)
			}
			if gone {
				runtime.Goexit()
			}
		}
	})
	return e, func() {
		dead.Store(true)
		waittest.Until(t, func() error {
			if n := beginning.Load(); n != 0 {
				return fmt.Errorf("%d messages are being marked as SENDING", n)
			}
			return nil
		})
	}
}

// A process dies while a gateway hangs. Messages that only waited for their turn are sent in order. The outcome of a
// message that was being submitted is unknown, and a gateway that does not deduplicate is not called again.
func TestCrash_WhatOnlyWaitedIsDelivered(t *testing.T) {
	for _, deduplicates := range []bool{true, false} {
		t.Run(fmt.Sprintf("deduplicates %v", deduplicates), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				const many = 25
				w := messagingtest.New(t, d, "unlimited")
				w.Gateway.Deduplicates.Store(deduplicates)
				w.Hold(t)
				e, die := newKillable(t, w)
				stop := w.Run(t, e)
				var ids, texts []string
				for n := range many {
					res, err := e.Submit(t.Context(), w.LiveCaller, numbered("22376000001", n))
					if err != nil {
						t.Fatal(err)
					}
					ids, texts = append(ids, res.Message.ID), append(texts, fmt.Sprint(n))
				}
				w.WaitForCalls(t, 1)
				die()
				stop()
				w.Gateway.SetScript(nil)
				restart(t, w)
				for _, id := range ids[1:] {
					w.Becomes(t, id, message.Sent)
				}
				want := texts // the first, by the process that died, and all after it
				if deduplicates {
					w.Becomes(t, ids[0], message.Sent)
				} else {
					w.Until(t, ids[0], "an unknown outcome", func(m *message.Message) bool { return !m.UnknownAt.IsZero() })
					w.Clock.Advance(delivery.DefaultUnknownWait)
					if m := w.Becomes(t, ids[0], message.Failed); m.Failure.Code != "outcome_unknown" {
						t.Errorf("the first failed with %s, want outcome_unknown", m.Failure.Code)
					}
				}
				var got []string
				for i, out := range w.Gateway.Calls() {
					if i > 0 && out.Text == "0" && deduplicates { // its repetition holds nobody up
						continue
					}
					got = append(got, out.Text)
				}
				if !slices.Equal(got, want) {
					t.Errorf("handed over %v, want %v", got, want)
				}
				if n := usedQuota(t, w); n != many {
					t.Errorf("quota counts %d, want %d", n, many)
				}
			})
		})
	}
}

// A process dies while a message is being submitted, and the next one dies while it repeats this. The messages behind
// it still wait for it.
func TestCrash_ARepeatThatDiesKeepsItsPlace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const many = 3
		w := messagingtest.New(t, d, "unlimited")
		w.Gateway.Deduplicates.Store(true)
		w.Hold(t)
		var ids []string
		next := func(e *delivery.Service) (stop func()) {
			if d.Engine() == db.Postgres { // until an attempt's time is over, another node may be handing it over
				w.Clock.Advance(2 * time.Minute)
			}
			return w.Restart(t, e)
		}
		for life := 1; life <= 2; life++ {
			e, die := newKillable(t, w)
			stop := next(e)
			for n := len(ids); n < many; n++ {
				res, err := e.Submit(t.Context(), w.LiveCaller, numbered("22376000001", n))
				if err != nil {
					t.Fatalf("submit %d: got %v, want no error", n, err)
				}
				ids = append(ids, res.Message.ID)
			}
			w.WaitForCalls(t, life)
			die()
			stop()
		}
		w.Gateway.SetScript(nil)
		next(w.NewDelivery())
		for _, id := range ids {
			w.Becomes(t, id, message.Sent)
		}
		var got []string
		for _, out := range w.Gateway.Calls() {
			got = append(got, out.Text)
		}
		if want := []string{"0", "0", "0", "1", "2"}; !slices.Equal(got, want) {
			t.Errorf("calls: got %v, want %v", got, want)
		}
	})
}

// Due messages are started up to the window. If the process then dies, the others are unchanged.
func TestCrash_WhatWasDueIsDelivered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const many = 600
		w := messagingtest.New(t, d, "unlimited")
		w.Hold(t)
		e, die := newKillable(t, w)
		items, errs := make([]*message.Request, 100), make([]error, 100)
		for n := 0; n < many; n += len(items) {
			for i := range items {
				items[i] = at(w, time.Minute)
				items[i].To = fmt.Sprintf("223%08d", n+i)
			}
			if _, err := e.SubmitBatch(t.Context(), w.LiveCaller, items, errs, false); err != nil {
				t.Fatal(err)
			}
		}
		w.Clock.Advance(time.Minute)
		stop := w.Run(t, e)
		w.WaitForCalls(t, 1)
		die()
		stop()
		w.Gateway.SetScript(nil)
		restart(t, w)
		count := func(condition string) int {
			return w.Int(t, `SELECT count(*) FROM messages WHERE `+condition)
		}
		w.WaitForInt(t, many, `SELECT count(*) FROM messages WHERE status = 'SENT' OR unknown_at IS NOT NULL`)
		w.Clock.Advance(delivery.DefaultUnknownWait)
		w.WaitForInt(t, many, `SELECT count(*) FROM messages WHERE status IN ('SENT', 'FAILED')`)
		asked := map[string]int{}
		for _, out := range w.Gateway.Calls() {
			if asked[out.Ref]++; asked[out.Ref] > 1 {
				t.Errorf("%s was handed over %d times", out.Ref, asked[out.Ref])
			}
		}
		failed := count(`status = 'FAILED'`)
		if window := 64; failed > window || failed != count(`status = 'FAILED' AND failure LIKE '%outcome_unknown%'`) {
			t.Errorf("%d failed, want at most a window of %d, each with an unknown outcome", failed, window)
		}
		if n := len(asked); n < many-failed {
			t.Errorf("%d were handed over, want %d", n, many-failed)
		}
	})
}

// byProviderID submits a message to a gateway that identifies it only by its own ID, and delivers its receipt at a failpoint.
func byProviderID(t *testing.T, w *messagingtest.World, when string, dies bool) (id string) {
	t.Helper()
	w.Gateway.ByProviderID.Store(true)
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		return gateway.Ack{ProviderID: "0A1B"}, nil
	})
	receiver := w.NewDelivery()
	came := make(chan error, 1)
	var once, dead atomic.Bool
	e := w.NewDelivery(func(o *delivery.Options) {
		o.Wait = time.Second
		o.Failpoint = func(name string) {
			if name == when && !once.Swap(true) {
				came <- receiver.Receipt(context.Background(), gateway.Receipt{Gateway: "fake", ProviderID: "0A1B", Status: gateway.ReceiptDelivered, Pricing: &gateway.Pricing{Billable: true, Category: "utility"}, At: w.Clock.Now()})
			}
			if dies && name == "apply.after" {
				dead.Store(true)
			}
			if dead.Load() {
				runtime.Goexit()
			}
		}
	})
	w.Run(t, e)
	res, err := e.Submit(t.Context(), w.LiveCaller, text("22376000001"))
	if err != nil {
		t.Fatal(err)
	}
	if err := waittest.Receive(t, came); err != nil {
		t.Fatalf("the receipt: %v", err)
	}
	return res.Message.ID
}

// A gateway might report a delivery before its ID of the message is stored. The report is kept until then.
// Rules: M201.
func TestReceipt_ComesBeforeTheCommit(t *testing.T) {
	for _, when := range []string{"call.after", "apply.before", "apply.after"} {
		t.Run(when, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				id := byProviderID(t, w, when, false)
				m := w.Becomes(t, id, message.Delivered)
				if n := strings.Count(string(m.Timeline), `"DELIVERED"`); n != 1 || m.ProviderID != "0A1B" || m.SentAt.IsZero() || m.Price != "+utility" {
					t.Errorf("%d deliveries in %s, id %q, price %q", n, m.Timeline, m.ProviderID, m.Price)
				}
				w.WaitForInt(t, 0, `SELECT count(*) FROM provider_refs WHERE early IS NOT NULL`)
			})
		})
	}
}

// The process dies between the commit of the message's ID and that of the receipt. The next process finds both.
func TestReceipt_OutlivesTheProcess(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		id := byProviderID(t, w, "call.after", true)
		if m := w.Becomes(t, id, message.Sent); !m.DeliveredAt.IsZero() {
			t.Fatalf("it is %s already", m.Status)
		}
		restart(t, w)
		w.Becomes(t, id, message.Delivered)
		w.WaitForInt(t, 0, `SELECT count(*) FROM provider_refs WHERE early IS NOT NULL`)
	})
}

// A client that disconnects after sending gets an error, so nothing is logged.
func TestSubmit_LogsNothingOfWhoHangsUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		var log logtest.Recorder
		e := w.NewDelivery(func(o *delivery.Options) { o.Log = log.Logger() })
		stop := w.Run(t, e)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if res, err := e.Submit(ctx, w.LiveCaller, numbered("22376000001", 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("a submission whose caller is gone: got %v, %v, want %v", res, err, context.Canceled)
		}
		stop()
		if got := log.String(); strings.Contains(got, "level=ERROR") {
			t.Errorf("the log of it: got %s, want no error", got)
		}
	})
}

// logHook calls fn before each line of the log is written.
type logHook struct {
	slog.Handler
	fn func(text string)
}

func (h logHook) Enabled(context.Context, slog.Level) bool { return true }

func (h logHook) Handle(_ context.Context, r slog.Record) error {
	h.fn(r.Message)
	return nil
}

// The database fails once, while the second of four messages to a recipient has its turn. The message keeps its place in the line.
func TestTurn_LostByAnErrorOfTheDatabaseKeepsItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ fails, reported string }{
		"reading the message":            {"call.after", "reading messages whose turn has come"},
		"marking the message as SENDING": {"begin.before", "marking messages as SENDING"},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "unlimited")
				var once, back sync.Once
				var armed atomic.Bool
				rename := func(from, to string) {
					w.Exec(t, `ALTER TABLE `+from+` RENAME TO `+to)
				}
				e := w.NewDelivery(func(o *delivery.Options) {
					o.Wait, o.Poll = time.Millisecond, time.Hour // no poll meets the missing table before a turn does
					o.Log = slog.New(logHook{slog.DiscardHandler, func(text string) {
						if text == c.reported || text == "reading waiting messages" { // which of them meets the missing table first depends on the scheduler
							back.Do(func() { rename("messages_gone", "messages") })
						}
					}})
					o.Failpoint = func(at string) {
						if armed.Load() && at == c.fails {
							once.Do(func() { rename("messages", "messages_gone") })
						}
					}
				})
				release := w.Hold(t)
				w.Run(t, e)
				var ids, want []string
				for n := range 4 {
					res, err := e.Submit(t.Context(), w.LiveCaller, numbered("22376000001", n))
					if err != nil {
						t.Fatal(err)
					}
					ids, want = append(ids, res.Message.ID), append(want, fmt.Sprint(n))
				}
				w.WaitForCalls(t, 1)
				if _, err := delivery.Step(t.Context(), e); err != nil { // the others are in the line
					t.Fatal(err)
				}
				w.Directory.ForgetAll() // nor are they in memory
				armed.Store(true)
				release()
				w.WaitForCalls(t, len(ids))
				for _, id := range ids {
					w.Becomes(t, id, message.Sent)
				}
				var got []string
				for _, out := range w.Gateway.Calls() {
					got = append(got, out.Text)
				}
				if !slices.Equal(got, want) {
					t.Errorf("handed over %v, want %v", got, want)
				}
			})
		})
	}
}
