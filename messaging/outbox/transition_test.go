package outbox_test

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/quota"
	"example.com/griot/messaging/webhooks"
)

func TestBegin_IsFencedByTheVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		m := w.stored(person, "x")
		k := outbox.EntryOf(m)
		var begun atomic.Int64
		waittest.Together(8, func(n int) {
			if w.begin(n, k, nil).Begun != nil {
				begun.Add(1)
			}
		})
		w.wants("of eight who begin, those who do", begun.Load(), 1)
		now := w.Message(t, m.ID)
		w.wants("the row", fmt.Sprint(now.Status, " ", now.Version, " ", now.Calls, " ", now.DueAt.After(w.Clock.Now())), "SENDING 1 1 true")
		canceled := w.stored(person, "canceled")
		if !w.apply(w.to(canceled, message.Canceled)).Changed {
			w.t.Error("the cancellation was not applied")
		}
		for _, k := range []outbox.Entry{outbox.EntryOf(canceled), outbox.EntryOf(w.Message(t, canceled.ID))} {
			if b := w.begin(0, k, nil); b.Begun != nil {
				w.t.Errorf("one that was canceled meanwhile begins at version %d", k.Version)
			}
		}
	})
}

func TestBegin_TheDayOfASenderThatWarmsUp(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const limit = 5
		day := &outbox.SenderDay{SenderID: sender, Day: quota.Day(w.Clock.Now()), Limit: limit}
		var keys []outbox.Entry
		for n := range 12 {
			keys = append(keys, outbox.EntryOf(w.stored(fmt.Sprintf("2237610%04d", n), "x")))
		}
		gone := keys[0]
		gone.Version = 7
		if b := w.begin(0, gone, day); b.Begun != nil || b.DayFull {
			w.t.Errorf("one that has changed: %+v, want nothing", b)
		}
		var begun, full atomic.Int64
		waittest.Together(len(keys), func(n int) {
			switch b := w.begin(n, keys[n], day); {
			case b.Begun != nil:
				begun.Add(1)
			case b.DayFull:
				full.Add(1)
			}
		})
		w.wants("begun, and too many", []int64{begun.Load(), full.Load()}, []int64{limit, 12 - limit})
		w.counts(`SELECT count(*) FROM messages WHERE status = 'SENDING'`, limit)
		w.counts(`SELECT used FROM sender_counts`, limit)
		m := w.Message(t, keys[0].ID)
		back := w.to(m, message.Queued)
		back.RefundSenderDay = day
		w.apply(back)
		w.counts(`SELECT used FROM sender_counts`, limit-1)
	})
}

func TestApply_IsFencedByTheVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.SetWebhook(t, "http://127.0.0.1:9/")
		var list []*message.Message
		for n := range 20 {
			list = append(list, w.stored(fmt.Sprintf("2237610%04d", n), "x"))
		}
		var done atomic.Int64
		waittest.Together(60, func(n int) { // three for each message
			m := list[n%20]
			status := []message.Status{message.Canceled, message.Sent, message.Failed}[n/20]
			change := w.to(m, status)
			change.Event = webhooks.StatusChanged(m, m.Status, status, w.Clock.Now(), "", nil)
			change.Refund = status != message.Sent
			applied, err := w.store(n).Apply(t.Context(), change)
			if err != nil {
				w.t.Error(err)
			}
			if applied.Changed {
				done.Add(1)
			}
		})
		w.wants("transitions done of three for each of 20", done.Load(), 20)
		w.counts(`SELECT count(*) FROM messages WHERE version = 1 AND status IN ('CANCELED', 'SENT', 'FAILED')`, 20)
		w.counts(`SELECT count(*) FROM webhook_events`, 20)
		w.counts(`SELECT used - (SELECT count(*) FROM messages WHERE status = 'SENT') FROM quotas`, 0)
		for _, m := range list {
			steps, err := w.Message(t, m.ID).Timeline.Steps()
			if err != nil || len(steps) != 2 {
				w.t.Errorf("the timeline of %s has %d steps (%v), want 2", m.ID, len(steps), err)
			}
		}
	})
}

func TestApply_TwoAboutOneMessageTogether(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		m := w.stored(person, "x")
		for range 20 {
			var done atomic.Int64
			m = w.Message(t, m.ID)
			waittest.Together(4, func(n int) {
				applied, err := w.store(0).Apply(t.Context(), w.to(m, message.Queued))
				if err != nil {
					w.t.Error(err)
				}
				if applied.Changed {
					done.Add(1)
				}
			})
			w.wants("of four", done.Load(), 1)
		}
		w.wants("its version", w.Message(t, m.ID).Version, 20)
	})
}

// Rules: M153.
func TestApply_WhatGoesWithIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		m := w.stored(person, "x", capped(5))
		w.stored(person, "y", capped(5))
		moved := w.to(m, message.Queued)
		moved.RouteChanged = true
		to := moved.Message
		to.Tried = append(to.Tried, m.Route())
		to.Channel, to.SenderID, to.From, to.Gateway, to.Address, to.RouteIndex = gateway.Email, "snd_2", "hello@example.com", "mail", "awa@example.com", 2
		if !w.apply(moved).Changed {
			t.Fatal("moving it was not done")
		}
		m = w.Message(t, m.ID)
		w.wants("where it is", fmt.Sprint(m.Channel, m.SenderID, m.From, m.Gateway, m.Address, m.RouteIndex, len(m.Tried)), "emailsnd_2hello@example.commailawa@example.com2 1")
		keys, err := w.store(0).Ready(t.Context(), "snd_2", nil, math.MinInt64, 10)
		if err != nil || len(keys) != 1 || keys[0].OrderKey != "awa@example.com" {
			w.t.Errorf("ready at its new sender: %+v, %v, want it with its new address", keys, err)
		}
		ended := w.to(m, message.Failed)
		ended.Refund, ended.HasRecipientCap = true, true
		ended.Message.Failure = &message.Failure{Code: "refused", Class: gateway.Permanent}
		ended.OptOut = &optout.OptOut{Channel: gateway.Email, Address: "awa@example.com", Reason: optout.Bounced, At: w.Clock.Now()}
		ended.Event = webhooks.StatusChanged(m, m.Status, message.Failed, w.Clock.Now(), "", ended.Message.Failure)
		for range 2 { // the second finds another version
			w.apply(ended)
		}
		w.counts(`SELECT used FROM quotas`, 1)
		w.counts(`SELECT SUM(used) FROM recipient_counts`, 1)
		w.counts(`SELECT count(*) FROM opt_outs`, 1)
		w.counts(`SELECT count(*) FROM webhook_events`, 1)
		if m = w.Message(t, m.ID); m.Failure == nil || m.Failure.Code != "refused" || m.FailedAt.IsZero() {
			w.t.Errorf("it ended as %+v, want its failure", m)
		}
	})
}

func TestApply_ErasesWhatIsSensitive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code, plain := w.stored(person, "", secret, func(a *outbox.Acceptance) { a.Message.Sealed = "sealed" }), w.stored(person, "kept")
		for _, m := range []*message.Message{code, plain} {
			sent := w.to(m, message.Sent)
			sent.EraseContent = true
			w.apply(sent)
		}
		w.wants("what is left of both", []string{w.Message(t, code.ID).Sealed, w.Message(t, plain.ID).Content.Text}, []string{"", "kept"})
	})
}

// A receipt can be faster than the ID by which it identifies its message, in either order of the writes.
func TestApply_EarlyReceipts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		early := &outbox.EarlyReceipt{Status: gateway.ReceiptDelivered, Rank: message.Delivered.Rank(), At: w.Clock.Now()}
		sent := func(m *message.Message, providerID string) outbox.Applied {
			change := w.to(m, message.Sent)
			change.Message.ProviderID = providerID
			change.ProviderRef = &outbox.ProviderRef{Gateway: "fake", ProviderID: providerID, Ref: m.Ref(), CalledAt: w.Clock.Now()}
			return w.apply(change)
		}
		reference := func(providerID string) string {
			ref, err := w.store(1).ResolveReference(t.Context(), "fake", providerID, early)
			if err != nil {
				t.Fatal(err)
			}
			return ref
		}
		first := w.stored(person, "the receipt comes first")
		w.wants("a reference that is not known", reference("p1"), "")
		done := sent(first, "p1")
		if done.Early == nil || done.Early.Ref != first.Ref() || done.Early.Status != gateway.ReceiptDelivered {
			w.t.Fatalf("applied %+v, want the early receipt of %s", done, first.Ref())
		}
		list, err := w.store(0).EarlyReceipts(t.Context(), 10)
		if err != nil || len(list) != 1 || list[0].Ref != first.Ref() {
			w.t.Errorf("to be applied after a crash: %v, %v, want that of %s", list, err, first.Ref())
		}
		if err := w.store(0).DeleteEarlyReceipt(t.Context(), first.Ref()); err != nil {
			t.Fatal(err)
		}
		if list, err = w.store(0).EarlyReceipts(t.Context(), 10); err != nil || len(list) != 0 {
			w.t.Errorf("once it is applied: %v, %v, want none", list, err)
		}
		second := w.stored(person, "the id comes first")
		if done := sent(second, "p2"); done.Early != nil {
			w.t.Errorf("applied %+v, want no early receipt", done)
		}
		w.wants("a reference that is known", reference("p2"), second.Ref())
		reference("p3") // of an earlier message, whose ID the gateway uses again
		w.Clock.Advance(time.Second)
		third := w.stored(person, "begun after the receipt")
		if done := sent(third, "p3"); done.Early != nil {
			w.t.Errorf("applied %+v, want nothing of a receipt from before it was begun", done)
		}
	})
}

// Early receipts of messages that never become known are dropped after an hour, and each is counted once.
func TestDropEarlyReceipts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		early := &outbox.EarlyReceipt{Status: gateway.ReceiptDelivered, Rank: message.Delivered.Rank(), At: w.Clock.Now()}
		for _, id := range []string{"a", "b", "c"} {
			if _, err := w.store(0).ResolveReference(t.Context(), "fake", id, early); err != nil {
				t.Fatal(err)
			}
		}
		w.Clock.Advance(time.Hour)
		if got, err := w.store(0).DropEarlyReceipts(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("after an hour: %v, %v", got, err)
		}
		w.Clock.Advance(time.Second)
		if got, err := w.store(0).DropEarlyReceipts(t.Context()); err != nil || got["fake"] != 3 || len(got) != 1 {
			t.Errorf("later: %v, %v; want three of fake", got, err)
		}
		if got, err := w.store(1).DropEarlyReceipts(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("once more: %v, %v", got, err)
		}
	})
}

// The two writes are concurrent. Either the transition or the receipt finds the other.
func TestApply_EarlyReceiptsAtTheSameTime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const many = 30
		var list []*message.Message
		for n := range many {
			list = append(list, w.stored(fmt.Sprintf("2237610%04d", n), "x"))
		}
		var learned [2 * many]atomic.Bool
		waittest.Together(2*many, func(n int) {
			m, providerID := list[n/2], fmt.Sprint("p", n/2)
			if n%2 == 0 {
				ref, err := w.store(1).ResolveReference(t.Context(), "fake", providerID, &outbox.EarlyReceipt{Status: gateway.ReceiptDelivered, Rank: message.Delivered.Rank(), At: w.Clock.Now()})
				if err != nil {
					w.t.Error(err)
				}
				learned[n].Store(ref == m.Ref())
				return
			}
			change := w.to(m, message.Sent)
			change.ProviderRef = &outbox.ProviderRef{Gateway: "fake", ProviderID: providerID, Ref: m.Ref(), CalledAt: w.Clock.Now()}
			done, err := w.store(0).Apply(t.Context(), change)
			if err != nil || !done.Changed {
				w.t.Errorf("applied %+v, %v, want it done", done, err)
			}
			learned[n].Store(done.Early != nil && done.Early.Ref == m.Ref())
		})
		for n := range many {
			if learned[2*n].Load() == learned[2*n+1].Load() {
				w.t.Errorf("message %d: the receipt learned of the id: %v, the transition of the receipt: %v, want one of the two", n, learned[2*n].Load(), learned[2*n+1].Load())
			}
		}
	})
}
