package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// setSuspended suspends the world's account, or resumes it, and reads the account again.
func setSuspended(t *testing.T, w *messagingtest.World, suspended bool) {
	t.Helper()
	reason := ""
	if suspended {
		reason = "spam"
	}
	err := w.Delivery.SetSuspended(t.Context(), w.Account.ID, reason)
	if err == nil {
		w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Account = w.LiveCaller.Account
}

// other creates an account that shares the platform's SMS number with the world's, and waits until one of its
// messages was sent. Then the engine has examined the waiting messages.
func other(t *testing.T, w *messagingtest.World) (goesOn func()) {
	t.Helper()
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.SMS, Address: shared, Gateway: "fake"}); err != nil {
		t.Fatal(err)
	}
	a, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "unlimited"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.Directory.Authenticate(t.Context(), w.Key(t, a.ID, "", account.Live))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	return func() {
		t.Helper()
		n++
		r := text(fmt.Sprintf("2237700%04d", n))
		r.ScheduledAt = w.Clock.Now().Add(time.Second)
		res, err := w.Delivery.Submit(t.Context(), c, r)
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
		w.Becomes(t, res.Message.ID, message.Sent)
	}
}

const shared = "22370000088"

// onlyShared gives the world's account no SMS number of its own, and the platform one.
func onlyShared(t *testing.T, d *db.DB) *messagingtest.World {
	t.Helper()
	w := messagingtest.New(t, d, "unlimited", func(s *account.Spec) {
		s.Senders = slices.DeleteFunc(s.Senders, func(s account.Sender) bool { return s.Channel == gateway.SMS })
	})
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.SMS, Address: shared, Gateway: "fake"}); err != nil {
		t.Fatal(err)
	}
	w.Directory.ForgetAll()
	setSuspended(t, w, false) // which reads the account again
	return w
}

// calledWith lists the texts that the gateway was called with for a recipient, in their order.
func calledWith(w *messagingtest.World, to string) (texts []string) {
	for _, out := range w.Gateway.Calls() {
		if out.To == to {
			texts = append(texts, out.Text)
		}
	}
	return texts
}

func worded(to, words string) *message.Request {
	r := text(to)
	r.Content.Text = words
	return r
}

// Rules: M192.
func TestSuspended_WhatWaitsGoesAfterwards(t *testing.T) {
	for name, newWorld := range map[string]func(*testing.T, *db.DB) *messagingtest.World{
		"its own sender":      func(t *testing.T, d *db.DB) *messagingtest.World { return messagingtest.New(t, d, "unlimited") },
		"the platform's ones": onlyShared,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				goesOn := other(t, w)
				w.Run(t, w.Delivery)
				const to = "22376000001"
				release := w.Hold(t)
				defer release()
				inProgress := make(chan error, 1)
				go func(c *account.Caller) {
					_, err := w.Delivery.Submit(context.Background(), c, worded(to, "in progress"))
					inProgress <- err
				}(w.LiveCaller)
				w.WaitForCalls(t, 1)
				var ids []string
				for _, words := range []string{"1", "2", "3"} {
					r := worded(to, words)
					r.Quick = false
					ids = append(ids, quickly(t, w, r))
				}
				later := at(w, time.Hour)
				later.To = "22376000009"
				ids = append(ids, w.Submit(t, later).Message.ID)
				setSuspended(t, w, true)
				release()
				if err := <-inProgress; err != nil {
					t.Errorf("the call in progress: %v, want it to end as usual", err)
				}
				w.Clock.Advance(2 * time.Hour)
				goesOn()
				goesOn()
				if n := len(w.Gateway.Calls()); n != 3 {
					t.Fatalf("%d calls, want the one before the suspension, and two of another account", n)
				}
				for _, r := range []*message.Request{text(to), keyed("new"), at(w, time.Hour), auto()} {
					if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r); !errors.Is(err, apierror.AccountSuspended.Err()) {
						t.Errorf("%+v: %v, want account_suspended", r, err)
					}
				}
				setSuspended(t, w, false)
				last := w.Submit(t, worded(to, "4")).Message.ID
				for _, id := range append(ids, last) {
					w.Becomes(t, id, message.Sent)
				}
				if got := calledWith(w, to); !slices.Equal(got, []string{"in progress", "1", "2", "3", "4"}) {
					t.Errorf("sent in the order %q", got)
				}
			})
		})
	}
}

// quickly submits a message that must wait, without waiting for it.
func quickly(t *testing.T, w *messagingtest.World, r *message.Request) (id string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := w.Int(t, `SELECT count(*) FROM messages`)
	go func(c *account.Caller) { _, _ = w.Delivery.Submit(ctx, c, r) }(w.LiveCaller)
	w.WaitForInt(t, before+1, `SELECT count(*) FROM messages`)
	if _, err := w.DB.Read(t.Context()).Row(`SELECT id FROM messages ORDER BY id DESC LIMIT 1`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// step makes the engine examine the waiting messages, until it holds only messages that wait.
func step(t *testing.T, w *messagingtest.World) {
	t.Helper()
	w.Eventually(t, "nothing in progress", func() (any, bool) {
		busy, err := delivery.Step(t.Context(), w.Delivery)
		return fmt.Sprint(busy, err), err == nil && busy == 0
	})
}

// Rules: M192.
func TestSuspended_WhatWaitsExpires(t *testing.T) {
	for name, newWorld := range map[string]func(*testing.T, *db.DB) *messagingtest.World{
		"its own sender":      func(t *testing.T, d *db.DB) *messagingtest.World { return messagingtest.New(t, d, "unlimited") },
		"the platform's ones": onlyShared,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				w.SetWebhook(t, "https://example.com/")
				r := at(w, time.Hour)
				r.ExpiresAt = w.Clock.Now().Add(2 * time.Hour)
				scheduled := w.Submit(t, r).Message.ID
				if n := usedQuota(t, w); n != 1 {
					t.Fatalf("%d of the quota are used, want 1", n)
				}
				setSuspended(t, w, true)
				w.Clock.Advance(3 * time.Hour)
				w.Run(t, w.Delivery)
				w.Becomes(t, scheduled, message.Expired)
				if n := usedQuota(t, w); n != 0 || len(w.Gateway.Calls()) != 0 {
					t.Errorf("%d of the quota are used, %d calls; want none", n, len(w.Gateway.Calls()))
				}
				if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE account_id = $1`, w.Account.ID); n != 1 {
					t.Errorf("%d events, want that it expired", n)
				}
			})
		})
	}
}

// A worker of the platform's sender holds many messages of a suspended account. It drops them and sends the others.
// Rules: M192.
func TestSuspended_OthersOfThePlatformsSenderGoOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := onlyShared(t, d)
		goesOn := other(t, w)
		w.Gateway.SetState(shared, gateway.Connecting) // what is accepted waits
		w.Run(t, w.Delivery)
		var ids []string
		for n := range 50 {
			ids = append(ids, quickly(t, w, text(fmt.Sprintf("2237600%04d", n))))
		}
		setSuspended(t, w, true)
		w.Gateway.SetState(shared, gateway.Connected)
		w.Clock.Advance(2 * time.Second)
		goesOn()
		goesOn()
		if n := len(w.Gateway.Calls()); n != 2 {
			t.Errorf("%d calls, want the two of the other account", n)
		}
		step(t, w) // turns that were given without a pace end
		w.Gateway.SetPace(gateway.Pace{Sender: time.Second})
		setSuspended(t, w, false)
		for range 5 {
			step(t, w)
			w.Clock.Advance(time.Second)
		}
		step(t, w)
		if n := len(w.Gateway.Calls()); n > 2+7 {
			t.Errorf("%d calls in five seconds after the suspension, want the sender's pace of one a second", n-2)
		}
		w.Gateway.SetPace(gateway.Pace{})
		w.Clock.Advance(2 * time.Second)
		for _, id := range ids {
			w.Becomes(t, id, message.Sent)
		}
	})
}

// A node whose directory has read the account before the suspension, and is not notified, starts nothing either.
// Rules: M192.
func TestSuspended_OnEveryNode(t *testing.T) {
	w := onlyShared(t, dbtest.Postgres(t))
	here := account.NewDirectory(w.DB, w.Clock.Now)
	engine := w.NewDelivery(func(o *delivery.Options) { o.Directory = here })
	stale, err := here.Authenticate(t.Context(), w.LiveKey)
	if err != nil {
		t.Fatal(err)
	}
	scheduled := w.Submit(t, at(w, time.Hour)).Message
	if err := w.Delivery.SetSuspended(t.Context(), w.Account.ID, "spam"); err != nil { // by the other node
		t.Fatal(err)
	}
	if _, err := engine.Submit(t.Context(), stale, text("22376000001")); !errors.Is(err, apierror.AccountSuspended.Err()) {
		t.Errorf("a request with an older account: %v, want account_suspended", err)
	}
	w.Clock.Advance(time.Hour)
	w.Run(t, engine)
	w.Eventually(t, "a look at what is due", func() (any, bool) {
		busy, err := delivery.Step(t.Context(), engine)
		return err, err == nil && busy == 0
	})
	if n := len(w.Gateway.Calls()); n != 0 || w.Message(t, scheduled.ID).Status != message.Scheduled {
		t.Errorf("%d calls, %s; want none, SCHEDULED", n, w.Message(t, scheduled.ID).Status)
	}
	waittest.Run(t, func(ctx context.Context) error { return here.Follow(ctx, slog.New(slog.DiscardHandler)) })
	if err := w.Delivery.SetSuspended(t.Context(), w.Account.ID, ""); err != nil {
		t.Fatal(err)
	}
	w.Becomes(t, scheduled.ID, message.Sent)
}

// The process is killed during a call of a gateway. The next process does not call it again while the account is suspended,
// and calls it immediately after the suspension, before the messages behind it.
func TestSuspended_AfterACrash(t *testing.T) {
	for name, newWorld := range map[string]func(*testing.T, *db.DB) *messagingtest.World{
		"its own sender":      func(t *testing.T, d *db.DB) *messagingtest.World { return messagingtest.New(t, d, "unlimited") },
		"the platform's ones": onlyShared,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				w.Gateway.Deduplicates.Store(true)
				goesOn := other(t, w)
				id := submitAndDie(t, w, worded("22376000001", "behind"))
				setSuspended(t, w, true)
				restart(t, w)
				w.Until(t, id, "unknown", func(m *message.Message) bool { return m.Status == message.Sending && !m.UnknownAt.IsZero() })
				for range 3 { // it is looked at only once
					w.Clock.Advance(2 * time.Second)
					goesOn()
				}
				version := func() int { return w.Int(t, `SELECT version FROM messages WHERE id = '`+id+`'`) }
				before := version()
				w.Clock.Advance(2 * time.Minute)
				goesOn()
				if now, n := version(), len(calledWith(w, "22376000001")); now != before || n != 1 {
					t.Errorf("%d calls and %d writes during the suspension, want the call before it and none", n, now-before)
				}
				setSuspended(t, w, false)
				w.Eventually(t, "three calls", func() (any, bool) {
					got := calledWith(w, "22376000001")
					return got, len(got) == 3
				})
				if got := calledWith(w, "22376000001"); !slices.Equal(got, []string{"Bonjour", "Bonjour", "behind"}) {
					t.Errorf("called with %q", got)
				}
				w.Becomes(t, id, message.Sent)
			})
		})
	}
}

// Another node ends the suspension, and this one has the account from before in its cache.
func TestSuspended_AfterACrashOnANodeThatIsNotNotified(t *testing.T) {
	w := onlyShared(t, dbtest.Postgres(t))
	w.Gateway.Deduplicates.Store(true)
	id := submitAndDie(t, w, worded("22376000001", "behind"))
	setSuspended(t, w, true)
	here := account.NewDirectory(w.DB, w.Clock.Now)
	if a, err := here.Account(t.Context(), w.Account.ID); err != nil || !a.Suspended() {
		t.Fatalf("%+v, %v", a, err)
	}
	w.Clock.Advance(30 * time.Second)
	w.Restart(t, w.NewDelivery(func(o *delivery.Options) { o.Directory = here }))
	w.Until(t, id, "unknown", func(m *message.Message) bool { return m.Status == message.Sending && !m.UnknownAt.IsZero() })
	setSuspended(t, w, false)
	w.Eventually(t, "three calls", func() (any, bool) {
		got := calledWith(w, "22376000001")
		return got, len(got) >= 3
	})
	if got := calledWith(w, "22376000001"); !slices.Equal(got, []string{"Bonjour", "Bonjour", "behind"}) {
		t.Errorf("called with %q", got)
	}
	w.Becomes(t, id, message.Sent)
}

// An interrupted message of a suspended account delays no message of another account to the same recipient.
func TestSuspended_DelaysNoOtherAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := onlyShared(t, d)
		w.Gateway.Deduplicates.Store(true)
		id := submitAndDie(t, w)
		setSuspended(t, w, true)
		w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
		if w.DB.Engine() == db.Postgres {
			w.Clock.Advance(30 * time.Second)
		}
		w.Restart(t, w.Delivery)
		w.Until(t, id, "unknown", func(m *message.Message) bool { return m.Status == message.Sending && !m.UnknownAt.IsZero() })
		a, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "unlimited"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.Directory.Authenticate(t.Context(), w.Key(t, a.ID, "", account.Live))
		if err != nil {
			t.Fatal(err)
		}
		release := w.Hold(t)
		var ids []string
		for n := range 2 {
			res, err := w.Delivery.Submit(t.Context(), c, numbered("22376000001", n))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, res.Message.ID)
		}
		release()
		for _, id := range ids {
			w.Becomes(t, id, message.Sent)
		}
	})
}

// A message that is accepted just after the end of a suspension comes behind those that waited for it, even if the account
// is read again before the workers know of the end.
func TestSuspended_NewMessagesComeLast(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := onlyShared(t, d)
		goesOn := other(t, w)
		accepts := w.NewDelivery(func(o *delivery.Options) { o.AcceptOnly, o.Wait = true, time.Millisecond })
		w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
		w.Run(t, w.Delivery)
		for round := range 20 {
			to := fmt.Sprintf("223760000%02d", round)
			if _, err := accepts.Submit(t.Context(), w.LiveCaller, numbered(to, 1)); err != nil {
				t.Fatal(err)
			}
			setSuspended(t, w, true)
			goesOn()
			resumed := make(chan error, 1)
			go func() { resumed <- w.Delivery.SetSuspended(t.Context(), w.Account.ID, "") }()
			deadline := time.Now().Add(waittest.Limit)
			for accepted := false; !accepted && time.Now().Before(deadline); { // as soon as possible
				w.Directory.Forget(w.Account.ID) // as an opt-out does
				c, err := w.Directory.Authenticate(t.Context(), w.LiveKey)
				if err == nil {
					_, err = w.Delivery.Submit(t.Context(), c, numbered(to, 2))
				}
				if accepted = err == nil; !accepted && !errors.Is(err, apierror.AccountSuspended.Err()) {
					t.Fatal(err)
				}
			}
			if err := <-resumed; err != nil {
				t.Fatal(err)
			}
			setSuspended(t, w, false)
			w.Eventually(t, "two calls", func() (any, bool) { n := len(calledWith(w, to)); return n, n == 2 })
			if got := calledWith(w, to); !slices.IsSorted(got) {
				t.Errorf("round %d: called with %q", round, got)
			}
		}
	})
}

// Messages that a worker has given up during a read are read again by the next one, in their order, also if that starts
// before the first has ended.
func TestSuspended_WhatIsGivenUpDuringAReadKeepsItsPlace(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
	release := w.Hold(t)
	w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
	w.Run(t, w.Delivery)
	first := w.Submit(t, numbered("22376000001", 0)).Message
	w.WaitForCalls(t, 1)
	reads := func() {
		w.Eventually(t, "one message in progress", func() (any, bool) {
			busy, err := delivery.Step(t.Context(), w.Delivery)
			return fmt.Sprint(busy, err), err == nil && busy == 1
		})
	}
	w.Submit(t, numbered("22376000001", 1))
	reads()
	end := delivery.DropDuringRead(w.Delivery, first.SenderID)
	last := w.Submit(t, numbered("22376000001", 2)).Message
	reads()
	release()
	w.Becomes(t, first.ID, message.Sent)
	end()
	w.Becomes(t, last.ID, message.Sent)
	w.WaitForCalls(t, 3)
	if got := calledWith(w, "22376000001"); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("called with %q", got)
	}
}

// The first calls of half of the recipients have unknown outcomes, few enough for the circuit breaker, and the account is
// suspended and resumed all the time. Whatever coincides, every recipient gets the messages in their order.
func TestSuspended_KeepsTheOrderAtEveryMoment(t *testing.T) {
	const recipients, each = 24, 4
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := onlyShared(t, d)
		w.Gateway.Deduplicates.Store(true)
		var called sync.Map // by reference
		w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if _, again := called.LoadOrStore(out.Ref, true); !again && (out.To[len(out.To)-1]-'0')%2 == 0 {
				return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "lost"}
			}
			return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
		})
		accepts := w.NewDelivery(func(o *delivery.Options) { o.AcceptOnly, o.Wait = true, time.Millisecond })
		ids := map[string][]string{}
		for n := range each {
			for i := range recipients {
				to := fmt.Sprintf("223760000%02d", i)
				res, err := accepts.Submit(t.Context(), w.LiveCaller, numbered(to, n))
				if err != nil {
					t.Fatal(err)
				}
				ids[to] = append(ids[to], res.Message.ID)
			}
		}
		w.Restart(t, w.Delivery)
		w.Eventually(t, "all sent", func() (any, bool) {
			setSuspended(t, w, true)
			setSuspended(t, w, false)
			n := w.Int(t, `SELECT count(*) FROM messages WHERE status = 'SENT'`)
			return n, n == recipients*each
		})
		for to := range ids {
			if got := slices.Compact(calledWith(w, to)); !slices.Equal(got, []string{"0", "1", "2", "3"}) {
				t.Errorf("%s: called with %q", to, got)
			}
		}
	})
}

// A due fallback and a retry also wait.
func TestSuspended_FallbacksAndRetriesWait(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		goesOn := other(t, w)
		w.Run(t, w.Delivery)
		r := auto()
		r.FallbackAfter = time.Minute
		fallback := w.Submit(t, r).Message
		failsFirst(w, 1, gateway.Error{Class: gateway.Temporary, Code: "busy"})
		again := retried(message.Retry{Max: 3, Delay: 1000})
		again.To = "22376000005"
		retry := w.Submit(t, again).Message
		calls := len(w.Gateway.Calls())
		setSuspended(t, w, true)
		w.Clock.Advance(time.Hour)
		goesOn()
		goesOn()
		if n := len(w.Gateway.Calls()); n != calls+2 || sentBySMS(w.Message(t, fallback.ID)) {
			t.Errorf("%d calls during the suspension, want the two of another account", n-calls)
		}
		setSuspended(t, w, false)
		w.Until(t, fallback.ID, "sent by SMS", sentBySMS)
		w.Becomes(t, retry.ID, message.Sent)
	})
}

// Received messages, opt-outs, and receipts are stored as usual.
// Rules: M192.
func TestSuspended_WhatComesInIsStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		m := w.Submit(t, text("22376000001")).Message
		setSuspended(t, w, true)
		w.Receive(t, "22376000002", "in-1", "Bonjour")
		w.Receive(t, "22376000002", "in-2", "STOP")
		if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: m.ID, Status: gateway.ReceiptDelivered, At: w.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		w.Becomes(t, m.ID, message.Delivered)
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`); n != 2 {
			t.Errorf("%d received messages are stored, want 2", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM opt_outs WHERE account_id = $1`, w.Account.ID); n != 1 {
			t.Errorf("%d opt-outs, want 1", n)
		}
	})
}

// A suspension removes the account's waiting messages from memory, and a message that was canceled is no longer there
// either. Without them, the rows are read, and everything that still waits is sent in its order.
func TestWaiting_TheMemoryIsOnlyACopy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		release := w.Hold(t)
		w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
		w.Run(t, w.Delivery)
		var ids []string
		for n := range 4 {
			ids = append(ids, w.Submit(t, numbered("22376000001", n)).Message.ID)
		}
		full := delivery.Remembered(w.Delivery)
		if _, err := w.Delivery.Cancel(t.Context(), w.LiveCaller, w.Message(t, ids[2])); err != nil {
			t.Fatal(err)
		}
		if now := delivery.Remembered(w.Delivery); now == 0 || now >= full {
			t.Errorf("after a cancellation, %d bytes are remembered, %d before", now, full)
		}
		setSuspended(t, w, true)
		if now := delivery.Remembered(w.Delivery); now > 0 {
			t.Errorf("after a suspension, %d bytes are remembered", now)
		}
		setSuspended(t, w, false)
		release()
		for _, n := range []int{0, 1, 3} {
			w.Becomes(t, ids[n], message.Sent)
		}
		var got []string
		for _, c := range w.Gateway.Calls() {
			got = append(got, c.Text)
		}
		if want := []string{"0", "1", "3"}; !slices.Equal(got, want) {
			t.Errorf("sent %v, want %v", got, want)
		}
	})
}
