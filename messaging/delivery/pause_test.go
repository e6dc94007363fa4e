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

func senderID(t *testing.T, w *messagingtest.World, address string) string {
	t.Helper()
	for _, s := range w.Account.Senders {
		if s.Address == address {
			return s.ID
		}
	}
	t.Fatalf("no sender %s", address)
	return ""
}

// setPaused pauses a sender of the account, or resumes it, and reads the account again.
func setPaused(t *testing.T, w *messagingtest.World, address string, paused bool) {
	t.Helper()
	set := w.Directory.ResumeSender
	if paused {
		set = w.Directory.PauseSender
	}
	if found, err := set(t.Context(), w.Account.ID, senderID(t, w, address)); err != nil || !found {
		t.Fatalf("found %v, %v", found, err)
	}
	var err error
	if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
		t.Fatal(err)
	}
	w.Account = w.LiveCaller.Account
}

// A paused sender accepts no new message and submits none, in any process. Waiting messages are sent when it is resumed.
func TestPause_WhatWaitsGoesWhenItIsResumed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		stop := w.Run(t, w.Delivery)
		later := w.Submit(t, at(w, time.Hour)).Message
		setPaused(t, w, ofSMS, true)
		if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, text("22376000001")); !errors.Is(err, apierror.SenderPaused.Err()) {
			t.Errorf("a message for a paused sender: %v, want sender_paused", err)
		}
		named := text("22376000001")
		named.SenderID = senderID(t, w, ofSMS)
		if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, named); !errors.Is(err, apierror.SenderPaused.Err()) {
			t.Errorf("a message that names a paused sender: %v, want sender_paused", err)
		}
		ready := queued(t, w, w.Clock.Now().Add(24*time.Hour))
		looked := func(when string) {
			t.Helper()
			r := at(w, 2*time.Hour)
			r.Channel = gateway.WhatsApp
			other := w.Submit(t, r).Message
			w.Clock.Advance(2 * time.Hour)
			w.Becomes(t, other.ID, message.Sent) // so Run has looked
			if n := sentBy(w, ofSMS); n != 0 || w.Message(t, later.ID).Status != message.Scheduled || w.Message(t, ready).Status != message.Queued {
				t.Fatalf("%s: a paused sender has sent %d, the messages are %s and %s", when, n, w.Message(t, later.ID).Status, w.Message(t, ready).Status)
			}
		}
		looked("paused")
		stop()
		w.ReplaceDelivery()
		stop = w.Restart(t, w.Delivery)
		looked("after a restart")
		if depth, err := w.Delivery.Depth(t.Context(), senderID(t, w, ofSMS)); err != nil || depth.Ready != 1 || depth.Later != 1 {
			t.Errorf("%+v wait, %v; want one for its turn and one for its time", depth, err)
		}
		setPaused(t, w, ofSMS, false)
		w.Becomes(t, later.ID, message.Sent)
		w.Becomes(t, ready, message.Sent)
		if m := w.Submit(t, text("22376000001")).Message; m.Status != message.Sent {
			t.Errorf("after it was resumed: %s", m.Status)
		}
		stop()
	})
}

func TestPause_RoutesSkipIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", withBackups)
		w.Run(t, w.Delivery)
		setPaused(t, w, first, true)
		on := auto()
		on.Channel, on.Email = gateway.WhatsApp, ""
		if m := w.Submit(t, on).Message; m.From != backup {
			t.Errorf("a message goes by %s, want %s", m.From, backup)
		}
		setPaused(t, w, backup, true)
		setPaused(t, w, third, true)
		if m := w.Submit(t, auto()).Message; m.Channel != gateway.SMS {
			t.Errorf("auto goes by %s, want sms", m.Channel)
		}
		setPaused(t, w, ofSMS, true)
		if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, auto()); !errors.Is(err, apierror.SenderPaused.Err()) {
			t.Errorf("auto without a sender on WhatsApp and SMS: %v, want sender_paused", err)
		}
	})
}

// Messages that a paused sender has submitted are checked as usual, here for a delivery in time.
func TestPause_AFallbackIsNotWaitedFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.Run(t, w.Delivery)
		r := auto()
		r.FallbackAfter = time.Minute
		m := w.Submit(t, r).Message
		if m.Channel != gateway.WhatsApp || m.Status != message.Sent {
			t.Fatalf("%s on %s", m.Status, m.Channel)
		}
		setPaused(t, w, first, true)
		w.Clock.Advance(time.Minute)
		w.Until(t, m.ID, "sent by SMS", func(m *message.Message) bool { return m.Channel == gateway.SMS && m.Status == message.Sent })
	})
}

// The message is still in flight when the due messages of its paused sender are read. It must not wait for the next second.
func TestPause_AFallbackIsReadWhileInFlight(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		stored, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		e := w.NewDelivery(func(o *delivery.Options) {
			o.Failpoint = func(name string) {
				if name == "apply.after" {
					once.Do(func() {
						close(stored)
						<-release
					})
				}
			}
		})
		w.Run(t, e)
		r := auto()
		r.FallbackAfter = time.Minute
		submitted, caller := make(chan *message.Message, 1), w.LiveCaller
		go func() {
			res, err := e.Submit(context.Background(), caller, r)
			if err != nil {
				t.Error(err)
				close(submitted)
				return
			}
			submitted <- res.Message
		}()
		waittest.Receive(t, stored)
		setPaused(t, w, first, true)
		before := w.Clock.Now()
		waitForRead := func(want string, done func(time.Time) bool) {
			t.Helper()
			waittest.Until(t, func() error {
				if at := delivery.ReadPaused(e, senderID(t, w, first)); !done(at) {
					return fmt.Errorf("due messages were read at %s, want %s", at, want)
				}
				return nil
			})
		}
		waitForRead("now", before.Equal)
		w.Clock.Advance(time.Minute)
		waitForRead("a minute later", func(at time.Time) bool { return !at.Equal(before) })
		close(release)
		m := waittest.Receive(t, submitted)
		w.Until(t, m.ID, "sent by SMS", func(m *message.Message) bool { return m.Channel == gateway.SMS && m.Status == message.Sent })
	})
}

func TestPause_WhatWaitsEndsWithItsLife(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		r := at(w, time.Hour)
		r.ExpiresAt = w.Clock.Now().Add(2 * time.Hour)
		later := w.Submit(t, r).Message
		ready := queued(t, w, w.Clock.Now().Add(time.Hour))
		setPaused(t, w, ofSMS, true)
		w.Clock.Advance(3 * time.Hour)
		w.Run(t, w.Delivery)
		w.Becomes(t, later.ID, message.Expired)
		w.Becomes(t, ready, message.Expired)
		if n := len(w.Gateway.Calls()); n != 0 {
			t.Errorf("%d calls, want none", n)
		}
	})
}

// Messages that wait for an account's own paused sender do not fill the backlog of all accounts.
func TestPause_WhatWaitsIsNotInTheBacklog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		for range 4 {
			queued(t, w, w.Clock.Now().Add(time.Hour))
		}
		setPaused(t, w, ofSMS, true)
		e := w.NewDelivery(func(o *delivery.Options) { o.MaxBacklog, o.Wait = 3, 10*time.Millisecond })
		for range 2 {
			r := text("22376000001")
			r.Channel = gateway.WhatsApp
			if _, err := e.Submit(t.Context(), w.LiveCaller, r); err != nil {
				t.Fatal(err)
			}
			w.Eventually(t, "the rows counted", func() (any, bool) { return "not yet", !delivery.CountsBacklog(e) })
			w.Clock.Advance(2 * time.Second)
		}
	})
}

// Another node reads the pause from the database.
func TestPause_OnEveryNode(t *testing.T) {
	w := messagingtest.New(t, dbtest.Postgres(t), "unlimited")
	here := account.NewDirectory(w.DB, w.Clock.Now)
	waittest.Run(t, func(ctx context.Context) error { return here.Follow(ctx, slog.New(slog.DiscardHandler)) })
	w.Run(t, w.NewDelivery(func(o *delivery.Options) { o.Directory = here }))
	paused := func(want int) func() (any, bool) {
		return func() (any, bool) {
			all, err := here.PausedSenders(t.Context())
			return err, err == nil && len(all) == want
		}
	}
	setPaused(t, w, ofSMS, true) // by the directory of w, another process's
	w.Eventually(t, "the pause seen", paused(1))
	ready := queued(t, w, w.Clock.Now().Add(24*time.Hour))
	r := at(w, time.Hour)
	r.Channel = gateway.WhatsApp
	other := w.Submit(t, r).Message
	w.Clock.Advance(time.Hour)
	w.Becomes(t, other.ID, message.Sent) // so Run has looked
	if n := sentBy(w, ofSMS); n != 0 {
		t.Errorf("%d were sent by a paused sender", n)
	}
	setPaused(t, w, ofSMS, false)
	w.Becomes(t, ready, message.Sent)
}

// A pause takes a turn back. If the sender is resumed between a read and the start of what is ready, the message still comes
// before those behind it.
func TestPause_ATurnThatIsTakenBackKeepsItsPlace(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
	accepts := w.NewDelivery(func(o *delivery.Options) { o.AcceptOnly, o.Wait = true, time.Millisecond })
	var sender string
	for n := range 2 {
		res, err := accepts.Submit(t.Context(), w.LiveCaller, numbered("22376000001", n))
		if err != nil {
			t.Fatal(err)
		}
		sender = res.Message.SenderID
	}
	e, ctx := w.NewDelivery(), t.Context() // not running: the steps below are those of its loop
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(delivery.ReadPauses(ctx, e))
	must(delivery.Read(ctx, e, sender))
	_, err := w.Directory.PauseSender(ctx, w.Account.ID, sender)
	must(err)
	w.Directory.ForgetAll()
	delivery.StartReady(e, sender) // its turn is taken back
	w.Eventually(t, "no message held", func() (any, bool) { n := delivery.Held(e, sender); return n, n == 0 })
	_, err = w.Directory.ResumeSender(ctx, w.Account.ID, sender)
	must(err)
	w.Directory.ForgetAll()
	must(delivery.Read(ctx, e, sender)) // as of before
	must(delivery.ReadPauses(ctx, e))
	delivery.StartReady(e, sender)
	w.Eventually(t, "two calls", func() (any, bool) {
		must(delivery.Read(ctx, e, sender))
		delivery.StartReady(e, sender)
		n := len(calledWith(w, "22376000001"))
		return n, n == 2
	})
	if got := calledWith(w, "22376000001"); !slices.IsSorted(got) {
		t.Errorf("called with %q", got)
	}
}
