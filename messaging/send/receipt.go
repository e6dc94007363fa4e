package send

import (
	"context"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/webhook"
)

// raiseTries bounds how often a receipt meets a message that moves under it; its status rises a few times in all.
const raiseTries = 8

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
func (e *Engine) Receipt(ctx context.Context, r gateway.Receipt) error {
	to, ok := statusOf(r.Status)
	if !ok || len(message.IDs(r.Ref)) == 0 {
		return nil
	}
	for range raiseTries {
		m, err := message.Get(e.o.DB.Read(ctx), r.Ref)
		if err != nil {
			return err
		}
		if m == nil || m.Status.Rank() >= to.Rank() || !m.Status.MayBecome(to) {
			return nil
		}
		a, err := e.o.Directory.Account(ctx, m.AccountID)
		if err != nil || a == nil {
			return err
		}
		if raised, err := e.raise(ctx, a, m, to, &r); err != nil || raised {
			return err
		}
	}
	return nil
}

func (e *Engine) raise(ctx context.Context, a *account.Account, m *message.Message, to message.Status, r *gateway.Receipt) (raised bool, err error) {
	at := r.At
	if at.IsZero() || at.After(e.o.Now().Add(time.Minute)) {
		at = e.o.Now()
	}
	var failure *message.Failure
	if r.Err != nil {
		failure = message.FailureOf(r.Err)
	}
	step := message.Then(message.Step{At: db.Ms(at), Status: to, Channel: m.Channel, Failure: failure, Note: "receipt"})
	var event *webhook.Event
	if webhook.TellsStatus(a, to, e.o.Now()) {
		event = webhook.StatusChanged(m, m.Status, to, at, r.ProviderID, failure)
		event.Stored = e.o.Now() // the receipt may be of long ago
	}
	err = e.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if raised, err = message.Raise(tx, m, to, at, r.ProviderID, failure, step); err != nil || !raised || event == nil {
			return err
		}
		return webhook.Insert(tx, event)
	})
	if err == nil && raised {
		e.told(event)
	}
	return raised, err
}
