package delivery_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
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

// submitAndDie submits a message whose worker never returns, as after kill -9 between the submission and the second
// transaction. It returns the message's ID. The requests behind it only wait for their turn.
func submitAndDie(t *testing.T, w *messagingtest.World, behind ...*message.Request) string {
	t.Helper()
	w.Hold(t)
	dead := w.NewDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
	res, err := dead.Submit(t.Context(), w.LiveCaller, text("22376000001"))
	if err != nil {
		t.Fatal(err)
	}
	w.WaitForCalls(t, 1)
	for _, r := range behind {
		if _, err := dead.Submit(t.Context(), w.LiveCaller, r); err != nil {
			t.Fatal(err)
		}
	}
	w.Gateway.SetScript(nil)
	return res.Message.ID
}

// restart runs a new process's engine. On PostgreSQL, the other's lease must expire first.
func restart(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if w.DB.Engine() == db.Postgres {
		w.Clock.Advance(30 * time.Second)
	}
	w.Restart(t, w.NewDelivery())
}

func TestCrash_AGatewayThatDeduplicatesIsCalledAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.Deduplicates.Store(true)
		id := submitAndDie(t, w)
		restart(t, w)
		w.Becomes(t, id, message.Sent)
		if asked := w.Gateway.Calls(); len(asked) != 2 || asked[0].Ref != asked[1].Ref {
			t.Errorf("asked %d times", len(asked))
		}
		if usedQuota(t, w) != 1 {
			t.Errorf("used %d", usedQuota(t, w))
		}
	})
}

// asked is a gateway that has seen none of the messages that it is asked for.
type asked struct{ *messagingtest.Gateway }

func (asked) Query(context.Context, string) (bool, gateway.Ack, error) {
	return false, gateway.Ack{}, nil
}

// A message that its gateway has never seen waits for its turn again, which comes before the messages behind it.
func TestCrash_AMessageThatWasNeverSeenKeepsItsPlace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		id := submitAndDie(t, w, worded("22376000001", "behind"))
		w.Clock.Advance(30 * time.Second)
		w.Restart(t, w.NewDelivery(func(o *delivery.Options) {
			o.Gateways = gateway.NewSet(map[string]gateway.Sender{"fake": asked{w.Gateway}})
		}))
		w.WaitForCalls(t, 3)
		if got := calledWith(w, "22376000001"); !slices.Equal(got, []string{"Bonjour", "Bonjour", "behind"}) {
			t.Errorf("called with %q", got)
		}
		w.Becomes(t, id, message.Sent)
	})
}

// A crash leaves a message whose fallback is due, and an interrupted one. The message behind both waits until both are
// decided, in whichever order.
func TestCrash_TheMessageBehindWaitsForEachDecision(t *testing.T) {
	for range 8 {
		w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
		w.Gateway.Deduplicates.Store(true)
		dead := w.NewDelivery(func(o *delivery.Options) { o.Wait = 20 * time.Millisecond })
		submit := func(words string) *message.Message {
			r := auto()
			r.Content.Text, r.FallbackAfter = words, time.Minute
			res, err := dead.Submit(t.Context(), w.LiveCaller, r)
			if err != nil {
				t.Fatal(err)
			}
			return res.Message
		}
		w.Becomes(t, submit("0").ID, message.Sent)
		w.Clock.Advance(50 * time.Second)
		w.Hold(t)
		interrupted := submit("2")
		w.WaitForCalls(t, 2)
		last := submit("3")
		w.Gateway.SetScript(nil)
		w.Clock.Advance(12 * time.Second)
		stop := w.Restart(t, w.NewDelivery())
		w.Becomes(t, last.ID, message.Sent)
		w.Becomes(t, interrupted.ID, message.Sent)
		stop()
		var got []string
		for _, c := range w.Gateway.Calls() {
			if c.From == interrupted.From {
				got = append(got, c.Text)
			}
		}
		if !slices.IsSorted(got) {
			t.Errorf("called with %q", got)
		}
	}
}

// A node dies between the commit and the call of a message. The next owner of its sender looks at that message first, also
// if something else wakes the worker up at the time when it is due.
func TestCrash_TheNextNodeLooksAtTheInterruptedMessageFirst(t *testing.T) {
	w := messagingtest.New(t, dbtest.Postgres(t), "unlimited")
	w.Gateway.Deduplicates.Store(true)
	first := submitAndDie(t, w, worded("22376000001", "behind"))
	w.Clock.Advance(time.Second) // the call might be in progress
	next := w.NewDelivery(func(o *delivery.Options) { o.Wait, o.Poll = time.Millisecond, time.Hour })
	w.Restart(t, next)
	other, err := next.Submit(t.Context(), w.LiveCaller, text("22376000002")) // makes it the owner
	if err != nil {
		t.Fatal(err)
	}
	w.Becomes(t, other.Message.ID, message.Sent)
	w.Clock.Advance(20 * time.Second)
	if other, err = next.Submit(t.Context(), w.LiveCaller, text("22376000003")); err != nil { // wakes the worker up
		t.Fatal(err)
	}
	w.Becomes(t, other.Message.ID, message.Sent)
	w.Eventually(t, "three calls", func() (any, bool) {
		got := calledWith(w, "22376000001")
		return got, len(got) == 3
	})
	if got := calledWith(w, "22376000001"); !slices.Equal(got, []string{"Bonjour", "Bonjour", "behind"}) {
		t.Errorf("called with %q", got)
	}
	w.Becomes(t, first, message.Sent)
}

// A message that is sent during a repeated call, or while its outcome is being written, comes behind those that were
// accepted before it, which the worker has left in the outbox.
func TestCrash_NothingOvertakesWhatIsBehindARepeatedMessage(t *testing.T) {
	for _, during := range []string{"call.before", "apply.before"} {
		t.Run(during, func(t *testing.T) {
			w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
			w.Gateway.Deduplicates.Store(true)
			first := w.Message(t, submitAndDie(t, w, worded("22376000001", "behind"), text("22376000002")))
			var left, sent atomic.Bool
			var next *delivery.Service
			next = w.NewDelivery(func(o *delivery.Options) {
				o.Wait = time.Millisecond
				o.Failpoint = func(name string) {
					now := w.Message(t, first.ID)
					switch again, begun := !now.UnknownAt.IsZero(), !now.DueAt.Equal(now.UnknownAt) && now.Status == message.Sending; {
					case name == "begin.before" && again && !begun && left.CompareAndSwap(false, true): // the worker reads again, as after a suspension
						delivery.DropDuringRead(next, first.SenderID)()
					case name == during && again && begun && (name == "call.before" || len(calledWith(w, first.Address)) == 2) && sent.CompareAndSwap(false, true):
						if _, err := next.Submit(t.Context(), w.LiveCaller, worded("22376000001", "last")); err != nil {
							t.Error(err)
						}
					default:
						return
					}
					if err := delivery.Read(t.Context(), next, first.SenderID); err != nil {
						t.Error(err)
					}
				}
			})
			w.Restart(t, next)
			w.WaitForCalls(t, 5)
			if got := calledWith(w, "22376000001"); !slices.Equal(got, []string{"Bonjour", "Bonjour", "behind", "last"}) {
				t.Errorf("called with %q", got)
			}
		})
	}
}

// While due messages are being read, nothing else starts, because an interrupted message among them comes first.
func TestCrash_NothingOvertakesWhatIsBeingRead(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
	w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
	w.Run(t, w.Delivery)
	first := w.Submit(t, numbered("22376000001", 0)).Message
	w.Becomes(t, first.ID, message.Sent)
	release := w.Hold(t) // so that what starts stays in progress
	end := delivery.HoldDueRead(w.Delivery, first.SenderID)
	for range 2 {
		w.Submit(t, numbered("22376000001", 1)) // would get a turn
		if err := delivery.Read(t.Context(), w.Delivery, first.SenderID); err != nil {
			t.Fatal(err)
		}
		delivery.StartReady(w.Delivery, first.SenderID)
		if n := delivery.Held(w.Delivery, first.SenderID); n > 0 {
			t.Errorf("%d messages are held during the read", n)
		}
	}
	end()
	release()
	w.WaitForCalls(t, 3)
}

// The lease lapses between the commit and the call, and is renewed before or after the message is reset.
func TestLease_AMessageThatWasNotCalledKeepsItsPlace(t *testing.T) {
	for _, renewed := range []string{"apply.before", "apply.after"} {
		t.Run(renewed, func(t *testing.T) {
			w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
			var accepted, applied atomic.Bool
			w.ReplaceDelivery(func(o *delivery.Options) {
				o.Wait = time.Millisecond
				o.Failpoint = func(name string) {
					switch {
					case name == "accept.after" && accepted.CompareAndSwap(false, true):
						w.Submit(t, numbered("22376000001", 2))
						delivery.Lapse(w.Delivery)
					case name == renewed && applied.CompareAndSwap(false, true):
						delivery.Regain(w.Delivery)
					}
				}
			})
			w.Run(t, w.Delivery)
			w.Submit(t, numbered("22376000001", 1))
			w.WaitForCalls(t, 2)
			if got := calledWith(w, "22376000001"); !slices.IsSorted(got) {
				t.Errorf("called with %q", got)
			}
		})
	}
}

// A receipt with the provider's ID of a message is used even if the process died before it stored the ID, because the
// gateway returns the same ID for the repeated call. A receipt from before the message belongs to another one.
func TestCrash_AReceiptBetweenTwoCallsCounts(t *testing.T) {
	for name, tc := range map[string]struct {
		before bool // the receipt came before the message
		want   message.Status
	}{"between": {false, message.Delivered}, "before": {true, message.Sent}} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				w.Gateway.Deduplicates.Store(true)
				w.Gateway.ByProviderID.Store(true)
				arrives := func() {
					t.Helper()
					if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", ProviderID: "p-1", Status: gateway.ReceiptDelivered, At: w.Clock.Now()}); err != nil {
						t.Fatal(err)
					}
				}
				if tc.before {
					arrives()
					w.Clock.Advance(time.Minute)
				}
				id := submitAndDie(t, w)
				w.Clock.Advance(time.Second)
				if !tc.before {
					arrives()
				}
				w.Clock.Advance(time.Second)
				w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
					return gateway.Ack{ProviderID: "p-1"}, nil
				})
				restart(t, w)
				w.Becomes(t, id, tc.want)
				if n := w.Int(t, `SELECT count(*) FROM provider_refs WHERE early IS NOT NULL`); tc.before && n != 0 {
					t.Error("the receipt from before the message is still to be applied")
				}
			})
		})
	}
}

// A gateway's response to a repeated call, unless it is a permanent refusal, does not show the result of the call before the crash.
func TestCrash_NotNowSaysNothingOfTheCallBefore(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.Deduplicates.Store(true)
		id := submitAndDie(t, w)
		w.Gateway.FailWith(gateway.SenderDown, "down")
		restart(t, w)
		w.WaitForCalls(t, 2)
		w.Until(t, id, "the second call's answer stored", func(m *message.Message) bool {
			return strings.Contains(string(m.Timeline), `"code":"down"`) // DueAt is in the future during the call, too
		})
		if m := w.Message(t, id); m.Status != message.Sending || m.UnknownAt.IsZero() || usedQuota(t, w) != 1 {
			t.Errorf("got %s, unknown at %v, used %d; want SENDING, unknown, 1", m.Status, m.UnknownAt, usedQuota(t, w))
		}
		w.Gateway.SetScript(nil)
		w.Clock.Advance(time.Minute)
		w.Becomes(t, id, message.Sent)
	})
}

// Rules: M3.
func TestCrash_AnyOtherGatewayIsNotCalledAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		id := submitAndDie(t, w)
		restart(t, w)
		w.Until(t, id, "an unknown outcome", func(m *message.Message) bool { return !m.UnknownAt.IsZero() })
		w.Clock.Advance(delivery.DefaultUnknownWait)
		m := w.Becomes(t, id, message.Failed)
		if m.Failure.Code != "outcome_unknown" || len(w.Gateway.Calls()) != 1 {
			t.Errorf("code %s after %d attempts", m.Failure.Code, len(w.Gateway.Calls()))
		}
		if usedQuota(t, w) != 1 {
			t.Errorf("used %d: what may have been handed over is not given back", usedQuota(t, w))
		}
		if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptDelivered, At: w.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		if m := w.Message(t, id); m.Status != message.Delivered || m.Failure != nil {
			t.Errorf("a late receipt left it %s", m.Status)
		}
	})
}

func TestCrash_AGatewayThatDeduplicatesNoLongerIsNotCalledAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.Deduplicates.Store(true)
		w.Gateway.DeduplicatesFor.Store(int64(20 * time.Hour))
		id := submitAndDie(t, w)
		w.Clock.Advance(20 * time.Hour)
		restart(t, w)
		w.Until(t, id, "an unknown outcome", func(m *message.Message) bool { return !m.UnknownAt.IsZero() })
		w.Clock.Advance(delivery.DefaultUnknownWait)
		if m := w.Becomes(t, id, message.Failed); m.Failure.Code != "outcome_unknown" || len(w.Gateway.Calls()) != 1 {
			t.Errorf("code %s after %d attempts", m.Failure.Code, len(w.Gateway.Calls()))
		}
	})
}

func TestCrash_AGatewayThatStillDeduplicatesIsCalledAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.Deduplicates.Store(true)
		w.Gateway.DeduplicatesFor.Store(int64(20 * time.Hour))
		id := submitAndDie(t, w)
		w.Clock.Advance(19 * time.Hour)
		restart(t, w)
		if m := w.Becomes(t, id, message.Sent); len(w.Gateway.Calls()) != 2 {
			t.Errorf("%s after %d attempts", m.Status, len(w.Gateway.Calls()))
		}
	})
}

func TestCrash_AReceiptSettlesAnUnknownOutcome(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		id := submitAndDie(t, w)
		if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, ProviderID: "px", Status: gateway.ReceiptDelivered}); err != nil {
			t.Fatal(err)
		}
		restart(t, w)
		w.Clock.Advance(time.Hour)
		if m := w.Message(t, id); m.Status != message.Delivered || m.ProviderID != "px" || !m.DueAt.IsZero() || len(w.Gateway.Calls()) != 1 {
			t.Errorf("got %+v", m)
		}
	})
}

// Rules: M3.
func TestUnknownOutcome_IsCalledAgainAtOnceWhereThatIsSafe(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.Deduplicates.Store(true)
		w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if len(w.Gateway.Calls()) == 1 {
				return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "lost_ack"}
			}
			return gateway.Ack{ProviderID: out.Ref}, nil
		})
		if res := w.Submit(t, text("22376000001")); res.Message.Status != message.Sent {
			t.Errorf("got %s", res.Message.Status)
		}
	})
}

// A call with an unknown outcome is not repeated after a receipt has reported the result.
func TestUnknownOutcome_IsNotCalledAgainAfterAReceipt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.Deduplicates.Store(true)
		w.Gateway.SetScript(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if err := w.Delivery.Receipt(ctx, gateway.Receipt{Ref: out.Ref, Gateway: "fake", Status: gateway.ReceiptDelivered}); err != nil {
				t.Error(err)
			}
			return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "lost_ack"}
		})
		stop := w.Run(t, w.Delivery)
		r := w.Submit(t, text("22376000001"))
		stop() // it waits for what is being handed over
		m := w.Message(t, r.Message.ID)
		if asked := len(w.Gateway.Calls()); asked != 1 || m.Status != message.Delivered || usedQuota(t, w) != 1 {
			t.Errorf("asked %d times, %s, used %d; want once, DELIVERED, 1", asked, m.Status, usedQuota(t, w))
		}
	})
}

// Rules: M3.
func TestUnknownOutcome_IsNotResentOnAGuess(t *testing.T) {
	for name, script := range map[string]messagingtest.Script{
		"a lost answer": func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
			return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "lost_ack"}
		},
		"a driver that panics": func(context.Context, *gateway.Outbound) (gateway.Ack, error) { panic("bug") },
		"a driver that breaks its word": func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
			return gateway.Ack{}, context.DeadlineExceeded
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				w.Gateway.SetScript(script)
				res := w.Submit(t, text("22376000001"))
				if m := w.Message(t, res.Message.ID); m.Status != message.Sending || m.UnknownAt.IsZero() {
					t.Fatalf("got %s, unknown since %v", m.Status, m.UnknownAt)
				}
				w.Clock.Advance(delivery.DefaultUnknownWait)
				w.Run(t, w.Delivery)
				if m := w.Becomes(t, res.Message.ID, message.Failed); m.Failure.Code != "outcome_unknown" || len(w.Gateway.Calls()) != 1 || usedQuota(t, w) != 1 {
					t.Errorf("code %s, %d attempts, used %d", m.Failure.Code, len(w.Gateway.Calls()), usedQuota(t, w))
				}
			})
		})
	}
}

// Rules: M54.
func TestReceipts_OnlyEverRaiseTheStatus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		all := []gateway.ReceiptStatus{gateway.ReceiptSent, gateway.ReceiptDelivered, gateway.ReceiptRead, gateway.ReceiptFailed, "nonsense"}
		for range 20 {
			id := w.Submit(t, text("22376000001")).Message.ID
			rank := message.Sent.Rank()
			for range 12 {
				s := all[rand.IntN(len(all))]
				if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: s, At: w.Clock.Now()}); err != nil {
					t.Fatal(err)
				}
				m := w.Message(t, id)
				if m.Status.Rank() < rank {
					t.Fatalf("went back to %s", m.Status)
				}
				rank = m.Status.Rank()
				if m.Status == message.Read && m.DeliveredAt.IsZero() {
					t.Fatal("read but not delivered")
				}
			}
		}
		if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: "msg_unknown", Status: gateway.ReceiptRead}); err != nil {
			t.Errorf("a receipt for nobody: %v", err)
		}
		if twice := w.Int(t, `SELECT count(*) FROM (SELECT body FROM webhook_events GROUP BY body HAVING count(*) > 1) x`); twice != 0 {
			t.Errorf("%d changes have two events", twice)
		}
	})
}

func TestRun_TakesUpWhatFoundNoSlotAndExpiresWhatIsTooOld(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		now := w.Clock.Now()
		fresh, old := queued(t, w, now.Add(time.Hour)), queued(t, w, now)
		w.Run(t, w.Delivery)
		w.Becomes(t, fresh, message.Sent)
		w.Becomes(t, old, message.Expired)
		if len(w.Gateway.Calls()) != 1 {
			t.Errorf("%d attempts", len(w.Gateway.Calls()))
		}
	})
}

func TestReceipts_MayComeBeforeTheAnswer(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.SetScript(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			err := w.Delivery.Receipt(ctx, gateway.Receipt{Gateway: "fake", Ref: out.Ref, ProviderID: "p", Status: gateway.ReceiptDelivered})
			return gateway.Ack{ProviderID: "p"}, err
		})
		res := w.Submit(t, text("22376000001"))
		m := w.Message(t, res.Message.ID)
		if res.Message.Status != message.Delivered || m.Status != message.Delivered || m.SentAt.IsZero() || !m.DueAt.IsZero() {
			t.Errorf("answered %s, stored %+v", res.Message.Status, m)
		}
	})
}

// queued stores a message that is ready, without a request.
func queued(t *testing.T, w *messagingtest.World, expires time.Time) string {
	t.Helper()
	r, now := text("22376000001"), w.Clock.Now()
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	m := message.New(r, w.Account.ID, "", now)
	m.Status, m.Gateway, m.From, m.ExpiresAt = message.Queued, "fake", messagingtest.SMS, expires
	for _, s := range w.Account.Senders {
		if s.Address == m.From {
			m.SenderID = s.ID
		}
	}
	m.Timeline = message.FirstStep(message.Step{At: db.Ms(now), Status: message.Queued})
	w.Store(t, m)
	return m.ID
}
