package send

import (
	"context"
	"errors"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/quota"
	"griot/messaging/webhook"
)

// What follows writes down how an attempt ended. Each is one transaction, and
// leaves the message alone when a receipt was faster or another worker has it.

// sent: the gateway has the message. For auto, the next way is due when it does not arrive in time.
func (e *Engine) sent(ctx context.Context, a *account.Account, m *message.Message, ack gateway.Ack) *message.Message {
	after := e.finish(ctx, a, m, &message.Outcome{Status: message.Sent, ProviderID: ack.ProviderID, Note: ack.Form, Due: e.fallbackDue(ctx, a, m, e.o.Now())})
	if after.Status != message.Sending || after.Attempt == m.Attempt {
		return after
	}
	// Its lease ran out meanwhile, and another worker wonders what became of it. This is news, as a receipt is.
	if err := e.Receipt(ctx, gateway.Receipt{Ref: m.Ref(), Gateway: m.Gateway, ProviderID: ack.ProviderID, Status: gateway.ReceiptSent}); err != nil {
		e.o.Log.Error("writing down a late answer", "messageId", m.ID, "err", err)
	}
	return e.reread(ctx, m)
}

// fallbackDue is when a message SENT at a time takes its next way unless it has
// arrived; zero when it has none or no receipt could tell.
func (e *Engine) fallbackDue(ctx context.Context, a *account.Account, m *message.Message, at time.Time) time.Time {
	g := e.o.Gateways.Get(m.Gateway)
	if m.Wish.FallbackMs == 0 || g == nil || !g.Info().Receipts {
		return time.Time{}
	}
	_, more, err := e.onward(ctx, a, m, nil)
	due := at.Add(m.Wish.FallbackAfter())
	if err != nil || !more || !due.Before(m.ExpiresAt) {
		return time.Time{}
	}
	return due
}

// end: the message has failed or expired on its last way. One that an earlier way
// handed over stays SENT by that way.
func (e *Engine) end(ctx context.Context, a *account.Account, m *message.Message, status message.Status, f *message.Failure) *message.Message {
	for _, w := range m.Left {
		if w.Sent {
			return e.settle(ctx, m, w, f)
		}
	}
	return e.finish(ctx, a, m, &message.Outcome{Status: status, Failure: f})
}

// finish is the second transaction: status, timeline, webhook event, and the
// quota's unit back when nothing was handed over. m, which is the carrier's own, becomes what it is then.
func (e *Engine) finish(ctx context.Context, a *account.Account, m *message.Message, o *message.Outcome) *message.Message {
	o.At = e.o.Now()
	o.Step = message.Then(message.Step{At: db.Ms(o.At), Status: o.Status, Channel: m.Channel, Sender: m.SenderID, Failure: o.Failure, Note: o.Note})
	var event *webhook.Event
	if webhook.TellsStatus(a, o.Status, o.At) {
		event = webhook.StatusChanged(m, message.Sending, o.Status, o.At, o.ProviderID, o.Failure)
	}
	giveBack := o.Status != message.Sent && !m.HandedOver() && m.ChargedDay != 0
	g := e.o.Gateways.Get(m.Gateway)
	byID, since := false, o.At
	if o.Status == message.Sent && o.ProviderID != "" && g != nil {
		i := g.Info()
		if byID = i.ByProviderID || i.QuotesByProviderID; i.QuotesByProviderID {
			since = since.Add(inbox.Retention - keepRefs) // people press old buttons
		}
	}
	change := func(tx *db.Tx) (bool, error) {
		mine, err := message.Finish(tx, m, o)
		if err != nil || !mine {
			return mine, err
		}
		if byID {
			if err := message.KeepProviderRef(tx, m.Gateway, o.ProviderID, m.Ref(), since); err != nil {
				return mine, err
			}
		}
		if giveBack {
			if err := refund(tx, a, m); err != nil {
				return mine, err
			}
		}
		if event != nil {
			return mine, webhook.Insert(tx, event)
		}
		return mine, nil
	}
	mine, done := false, false
	if e.ends != nil && event == nil && !giveBack && !byID && m.ConversationID == "" {
		mine, done = e.finishAlone(ctx, m, o)
	}
	var err error
	if !done {
		mine, err = e.write(ctx, m, "finish", change)
	}
	if err != nil { // the lease brings it back
		return m
	}
	if !mine {
		return e.reread(ctx, m)
	}
	e.told(event)
	m.Status, m.ProviderID, m.Failure, m.DueAt = o.Status, o.ProviderID, o.Failure, o.Due
	if o.Status == message.Sent {
		m.SentAt = o.At
	}
	return m
}

// A database that is gone for a moment is waited for, since only this process knows how the attempt ended.
const (
	writeTries = 12 // some ten seconds, within the lease's margin
	writePause = 50 * time.Millisecond
	writeMost  = 2 * time.Second
)

// write runs what ends an attempt, and logs what the database refuses. It may try more than once: each of these
// changes is fenced, so that one whose commit was not heard of is found done.
func (e *Engine) write(ctx context.Context, m *message.Message, what string, change func(*db.Tx) (bool, error)) (mine bool, err error) {
	for try := range writeTries {
		if try > 0 {
			time.Sleep(min(writePause<<(try-1), writeMost))
		}
		err = e.transact(ctx, what, func(tx *db.Tx) (err error) {
			if mine, err = change(tx); err != nil || !mine {
				return err
			}
			return inbox.Touch(tx, m)
		})
		if !db.Unavailable(err) || errors.Is(err, db.ErrClosed) || errors.Is(err, context.DeadlineExceeded) { // it hangs: long enough
			break
		}
	}
	if err != nil {
		e.o.Log.Error("writing down an attempt", "messageId", m.ID, "err", err)
	}
	return mine, err
}

func refund(tx *db.Tx, a *account.Account, m *message.Message) error {
	if err := quota.GiveBack(tx, m.AccountID, m.ChargedDay); err != nil || a.RecipientCap == 0 {
		return err
	}
	return quota.GiveBackRecipient(tx, m.AccountID, m.Recipient(), m.ChargedDay)
}

func (e *Engine) reread(ctx context.Context, m *message.Message) *message.Message {
	now, err := message.Get(e.o.DB.Read(ctx), m.ID)
	if err != nil || now == nil {
		e.o.Log.Error("reading a message again", "messageId", m.ID, "err", err)
		return m
	}
	return now
}

// step is a line of m's timeline, now.
func (e *Engine) step(m *message.Message, s message.Status, f *message.Failure, note string) string {
	return message.Then(message.Step{At: db.Ms(e.o.Now()), Status: s, Channel: m.Channel, Sender: m.SenderID, Failure: f, Note: note})
}

// postpone leaves a message SENDING, its outcome unknown, until due, but not beyond its life.
func (e *Engine) postpone(ctx context.Context, m *message.Message, due time.Time, f *message.Failure) *message.Message {
	if due.After(m.ExpiresAt) {
		due = m.ExpiresAt
	}
	step := e.step(m, message.Sending, f, "outcome unknown")
	mine, err := e.write(ctx, m, "postpone", func(tx *db.Tx) (bool, error) { return message.Postpone(tx, m, m.UnknownAt, due, step) })
	if err != nil || mine {
		return m
	}
	return e.reread(ctx, m)
}

// requeue puts a message back until due: nothing of it was handed over.
func (e *Engine) requeue(ctx context.Context, m *message.Message, due time.Time, f *message.Failure) *message.Message {
	return e.putBack(ctx, m, due, e.step(m, message.Queued, f, "retry"))
}

// park puts a message back whose turn has not come. That is no attempt, and is told once.
func (e *Engine) park(ctx context.Context, m *message.Message, until time.Time) *message.Message {
	if until.After(m.ExpiresAt) { // behind one that waits for long
		until = m.ExpiresAt
	}
	step := ""
	if m.ClaimedFrom != message.Queued {
		step = e.step(m, message.Queued, nil, "waits its turn")
	}
	if m.UnknownAt.IsZero() {
		return e.putBack(ctx, m, until, step)
	}
	mine, err := e.write(ctx, m, "postpone", func(tx *db.Tx) (bool, error) { return message.Postpone(tx, m, m.UnknownAt, until, "") })
	if err != nil || mine {
		return m
	}
	return e.reread(ctx, m)
}

func (e *Engine) putBack(ctx context.Context, m *message.Message, due time.Time, step string) *message.Message {
	mine, err := e.write(ctx, m, "requeue", func(tx *db.Tx) (bool, error) { return message.Requeue(tx, m, due, step) })
	switch {
	case err != nil:
		return m
	case !mine:
		return e.reread(ctx, m)
	}
	waiting := *m
	waiting.Status, waiting.DueAt = message.Queued, due
	return &waiting
}

// advance puts a message, found in a status, on another way. It comes back as it
// is then, with ok when this caller is to go on with it.
func (e *Engine) advance(ctx context.Context, m *message.Message, o onward, from message.Status, f *message.Failure) (after *message.Message, ok bool) {
	step := e.step(m, message.Failed, f, "left for "+string(o.to.Channel))
	if from == message.Sent {
		step = e.step(m, message.Sent, f, "not delivered in time; left for "+string(o.to.Channel))
	}
	mine, err := e.write(ctx, m, "advance", func(tx *db.Tx) (bool, error) {
		return message.Advance(tx, m, from, o.to, o.left, e.o.Now().Add(e.lease()), step)
	})
	switch {
	case err != nil:
		return m, false
	case !mine:
		return e.reread(ctx, m), false
	}
	moved := *m
	moved.Take(o.to)
	moved.Left, moved.Hop, moved.Attempt = o.left, m.Hop+1, m.Attempt+1
	moved.Tries, moved.UnknownAt, moved.Failure, moved.Status = 0, time.Time{}, nil, message.Sending
	return &moved, true
}

// settle: no way is left, but a gateway has the message: it stays SENT by that way.
func (e *Engine) settle(ctx context.Context, m *message.Message, w message.Way, f *message.Failure) *message.Message {
	step := e.step(m, message.Sent, f, "no other way; it stays with "+string(w.Channel))
	mine, err := e.write(ctx, m, "settle", func(tx *db.Tx) (bool, error) { return message.Settle(tx, m, w, step) })
	if err != nil {
		return m
	}
	if mine {
		settled := *m
		settled.Take(w)
		settled.Status, settled.DueAt, settled.Failure = message.Sent, time.Time{}, nil
		return &settled
	}
	return e.reread(ctx, m)
}
