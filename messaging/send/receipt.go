package send

import (
	"context"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/optout"
	"griot/messaging/webhook"
)

// raiseTries bounds how often a receipt meets a message that moves under it; its status rises a few times in all.
const raiseTries = 8

// A receipt that names a message by its gateway's id may be faster than the transaction that stores this id.
const (
	refPolls = 40
	refPoll  = 50 * time.Millisecond
)

func statusOf(s gateway.ReceiptStatus) (message.Status, bool) {
	switch s {
	case gateway.ReceiptSent:
		return message.Sent, true
	case gateway.ReceiptDelivered:
		return message.Delivered, true
	case gateway.ReceiptRead:
		return message.Read, true
	case gateway.ReceiptFailed:
		return message.Failed, true
	}
	return "", false
}

// Receipt applies a delivery report. It returns nil once it is stored, and for
// reports that change nothing: unknown references, news older than what is known.
// [gateway.ErrForeign]: the message was never handed to the gateway that brought it.
func (e *Engine) Receipt(ctx context.Context, r gateway.Receipt) error {
	to, ok := statusOf(r.Status)
	if !ok {
		return nil
	}
	ref, err := e.refOf(ctx, &r)
	if err != nil {
		return err
	}
	messageID, hop, ok := message.ParseRef(ref)
	if !ok {
		return nil
	}
	for range raiseTries {
		m, err := message.Get(e.o.DB.Read(ctx), messageID)
		if err != nil || m == nil {
			return err
		}
		if !m.On(r.Gateway) {
			return gateway.ErrForeign
		}
		arrived := to == message.Delivered || to == message.Read
		if hop > m.Hop || (hop < m.Hop && !arrived) { // of a way that was left, only the arrival is news
			return nil
		}
		if m.Status.Rank() >= to.Rank() || !m.Status.MayBecome(to) {
			return e.heed(ctx, m, &r)
		}
		a, err := e.o.Directory.Account(ctx, m.AccountID)
		if err != nil || a == nil {
			return err
		}
		done, err := e.apply(ctx, a, m, to, &r)
		if err != nil || done {
			return err
		}
	}
	return nil
}

// refOf is the reference that a receipt is about; "" when nobody knows it.
func (e *Engine) refOf(ctx context.Context, r *gateway.Receipt) (string, error) {
	if r.Ref != "" || r.Gateway == "" || r.ProviderID == "" {
		return r.Ref, nil
	}
	for poll := 0; ; poll++ {
		ref, err := message.ProviderRef(e.o.DB.Read(ctx), r.Gateway, r.ProviderID)
		g := e.o.Gateways.Get(r.Gateway)
		if err != nil || ref != "" || poll == refPolls || len(e.slots) == 0 || g == nil || !g.Info().ByProviderID {
			return ref, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(refPoll):
		}
	}
}

// apply: a failure sends a message that has another way on it; everything else raises its status.
func (e *Engine) apply(ctx context.Context, a *account.Account, m *message.Message, to message.Status, r *gateway.Receipt) (done bool, err error) {
	var failure *message.Failure
	if r.Err != nil {
		failure = message.FailureOf(r.Err)
	}
	if to != message.Failed {
		return e.raise(ctx, a, m, to, r, failure)
	}
	if r.Err == nil {
		r.Err = &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed"}
		failure = message.FailureOf(r.Err)
	}
	o, more, err := e.onward(ctx, a, m, r.Err)
	if err != nil {
		return false, err
	}
	if more {
		moved, ok := e.advance(ctx, m, o, m.Status, failure)
		if ok {
			e.takeOn(ctx, a, moved)
		}
		return ok, nil
	}
	for _, w := range m.Left {
		if w.Sent {
			after := e.settle(ctx, m, w, failure)
			return after.Status != m.Status || after.DueAt.IsZero(), nil
		}
	}
	return e.raise(ctx, a, m, to, r, failure)
}

// heed does what a failure asks for that changes no status: who complains has been delivered to.
func (e *Engine) heed(ctx context.Context, m *message.Message, r *gateway.Receipt) error {
	if r.Err == nil {
		return nil
	}
	why, out := optOutReason(m, message.FailureOf(r.Err))
	if !out {
		return nil
	}
	err := e.o.DB.Write(ctx, func(tx *db.Tx) error {
		_, err := optout.Note(tx, m.AccountID, m.Channel, m.Address, why, e.o.Now())
		return err
	})
	if err == nil {
		e.o.Directory.Forget(m.AccountID)
	}
	return err
}

// takeOn carries a message that this process has just put on another way, or leaves it to its lease when there is no slot.
func (e *Engine) takeOn(ctx context.Context, a *account.Account, m *message.Message) {
	slots := e.reserve(m.SenderID, 1)
	if len(slots) == 0 {
		return
	}
	place := e.traffic.join(m, slots[0])
	e.carried.Go(func() {
		defer slots[0].release()
		defer place.leave("", false)
		ctx := context.WithoutCancel(ctx)
		if err := e.reveal(m); err != nil {
			e.o.Log.Error("opening a sensitive message", "messageId", m.ID, "err", err)
			return
		}
		e.carry(ctx, a, m, place)
	})
}

func (e *Engine) raise(ctx context.Context, a *account.Account, m *message.Message, to message.Status, r *gateway.Receipt, failure *message.Failure) (raised bool, err error) {
	at := r.At
	if at.IsZero() || at.After(e.o.Now().Add(time.Minute)) {
		at = e.o.Now()
	}
	at = m.InOrder(at)
	up := message.Rise{To: to, At: at, ProviderID: r.ProviderID, Failure: failure}
	up.Step = message.Then(message.Step{At: db.Ms(at), Status: to, Channel: m.Channel, Failure: failure, Note: "receipt"})
	if to == message.Sent {
		up.Due = e.fallbackDue(ctx, a, m, e.o.Now())
	}
	var event *webhook.Event
	if webhook.TellsStatus(a, to, e.o.Now()) {
		event = webhook.StatusChanged(m, m.Status, to, at, r.ProviderID, failure)
		event.Stored = e.o.Now() // the receipt may be of long ago
	}
	why, out := optOutReason(m, failure)
	err = e.transact(ctx, "receipt", func(tx *db.Tx) (err error) {
		if raised, err = message.Raise(tx, m, &up); err != nil || !raised {
			return err
		}
		if err := inbox.Touch(tx, m); err != nil {
			return err
		}
		if out {
			if _, err := optout.Note(tx, m.AccountID, m.Channel, m.Address, why, at); err != nil {
				return err
			}
		}
		if event != nil {
			return webhook.Insert(tx, event)
		}
		return nil
	})
	if raised && out && err == nil {
		e.o.Directory.Forget(a.ID)
	}
	if raised && err == nil {
		e.told(event)
	}
	return raised, err
}

// Codes of failures by which e-mail gateways say that an address is to be left alone.
const (
	codeBounced      = "bounced"
	codeComplained   = "complained"
	codeSuppressed   = "suppressed"
	codeUnsubscribed = "unsubscribed"
)

func optOutReason(m *message.Message, f *message.Failure) (optout.Reason, bool) {
	if f == nil || m.Channel != gateway.Email {
		return "", false
	}
	switch f.Code {
	case codeBounced, codeSuppressed:
		return optout.Bounced, f.Class == gateway.Permanent || f.Class == gateway.Unreachable
	case codeComplained:
		return optout.Complained, true
	case codeUnsubscribed:
		return optout.Said, true
	}
	return "", false
}
