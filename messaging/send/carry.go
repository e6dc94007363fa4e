package send

import (
	"context"
	"fmt"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/quota"
	"griot/messaging/webhook"
)

// Codes of errors that are ours and not a gateway's.
const (
	codeUnknown      = "outcome_unknown"
	codeExpired      = "expired"
	codeDisconnected = "gateway_not_connected"
)

// The failures that are ours and not a gateway's.
func unknownFailure() *message.Failure {
	return &message.Failure{Code: codeUnknown, Class: gateway.Unknown}
}

func expiredFailure() *message.Failure {
	return &message.Failure{Code: codeExpired, Class: gateway.Permanent}
}

const (
	repeats      = 2 // how often an unknown outcome is asked about again at once, where that is safe
	repeatAfter  = 200 * time.Millisecond
	unknownFirst = time.Second // then by Run, doubling
	unknownMost  = time.Minute
)

// carry makes a claimed message's attempt and writes down how it ended. It
// returns the message as it is then; a message whose outcome is not known yet stays SENDING.
func (e *Engine) carry(ctx context.Context, a *account.Account, m *message.Message) *message.Message {
	g, ok := e.o.Gateways[m.Gateway]
	if !ok {
		return e.fail(ctx, a, m, message.Failed, &message.Failure{Code: codeDisconnected, Class: gateway.SenderDown})
	}
	leased := e.o.Now().Add(e.lease())
	for try := 0; ; try++ {
		ack, err := e.attempt(ctx, g, m)
		if err == nil {
			return e.finish(ctx, a, m, &message.Outcome{Status: message.Sent, ProviderID: ack.ProviderID})
		}
		failure := gateway.AsError(err)
		e.o.Log.Debug("attempt failed", "messageId", m.ID, "gateway", m.Gateway, "class", string(failure.Class), "code", failure.Code, "err", failure.Err)
		if settles(failure.Class, m) {
			return e.fail(ctx, a, m, message.Failed, message.FailureOf(failure))
		}
		now := e.o.Now()
		if m.UnknownAt.IsZero() {
			m.UnknownAt = now
		}
		if !now.Before(m.ExpiresAt) {
			return e.fail(ctx, a, m, message.Failed, unknownFailure())
		}
		if !g.Info().Deduplicates {
			return e.postpone(ctx, m, now.Add(e.o.UnknownWait), message.FailureOf(failure))
		}
		if try == repeats || !failure.Class.HandedOver() || now.Add(repeatAfter+e.o.Attempt).After(leased.Add(-leaseMargin/2)) {
			wait := min(unknownFirst<<min(m.Attempt-1, 10), unknownMost)
			return e.postpone(ctx, m, now.Add(wait), message.FailureOf(failure))
		}
		select {
		case <-time.After(repeatAfter):
		case <-ctx.Done():
		}
	}
}

// settles reports whether a failure of this class is a message's end. Of one that
// an earlier attempt may have handed over, "not now" says nothing.
func settles(c gateway.Class, m *message.Message) bool {
	if c.HandedOver() {
		return false
	}
	return m.UnknownAt.IsZero() || c == gateway.Permanent || c == gateway.Unreachable
}

// attempt calls the gateway once, not beyond the message's life. A driver that panics may have handed the message over.
func (e *Engine) attempt(ctx context.Context, g gateway.Sender, m *message.Message) (ack gateway.Ack, err error) {
	ctx, cancel := context.WithTimeout(ctx, min(e.o.Attempt, m.ExpiresAt.Sub(e.o.Now())))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = &gateway.Error{Class: gateway.Unknown, Code: "gateway_panic", Err: fmt.Errorf("panic: %v", p)}
			e.o.Log.Error("gateway panicked", "gateway", m.Gateway, "messageId", m.ID)
		}
	}()
	return g.Send(ctx, m.Outbound())
}

func (e *Engine) fail(ctx context.Context, a *account.Account, m *message.Message, status message.Status, f *message.Failure) *message.Message {
	return e.finish(ctx, a, m, &message.Outcome{Status: status, Failure: f})
}

// finish is the second transaction: status, timeline, webhook event, and the
// quota's unit back when nothing was handed over.
func (e *Engine) finish(ctx context.Context, a *account.Account, m *message.Message, o *message.Outcome) *message.Message {
	o.At = e.o.Now()
	o.Step = message.Then(message.Step{At: db.Ms(o.At), Status: o.Status, Channel: m.Channel, Sender: m.SenderID, Failure: o.Failure})
	var event *webhook.Event
	if webhook.TellsStatus(a, o.Status, o.At) {
		event = webhook.StatusChanged(m, message.Sending, o.Status, o.At, o.ProviderID, o.Failure)
	}
	giveBack := o.Status != message.Sent && m.UnknownAt.IsZero() && m.ChargedDay != 0
	var mine bool
	err := e.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if mine, err = message.Finish(tx, m, o); err != nil || !mine {
			return err
		}
		if giveBack {
			if err := refund(tx, a, m); err != nil {
				return err
			}
		}
		if event != nil {
			return webhook.Insert(tx, event)
		}
		return nil
	})
	if err != nil { // the lease brings it back
		e.o.Log.Error("writing down an attempt", "messageId", m.ID, "status", string(o.Status), "err", err)
		return m
	}
	if !mine { // a receipt was faster, or another worker has it
		return e.reread(ctx, m)
	}
	e.told(event)
	done := *m
	done.Status, done.ProviderID, done.Failure, done.DueAt = o.Status, o.ProviderID, o.Failure, time.Time{}
	return &done
}

func refund(tx *db.Tx, a *account.Account, m *message.Message) error {
	if err := quota.GiveBack(tx, m.AccountID, m.ChargedDay); err != nil || a.RecipientCap == 0 {
		return err
	}
	return quota.GiveBackRecipient(tx, m.AccountID, m.Address, m.ChargedDay)
}

func (e *Engine) reread(ctx context.Context, m *message.Message) *message.Message {
	now, err := message.Get(e.o.DB.Read(ctx), m.ID)
	if err != nil || now == nil {
		e.o.Log.Error("reading a message again", "messageId", m.ID, "err", err)
		return m
	}
	return now
}

// postpone leaves a message SENDING, its outcome unknown, until due, but not beyond its life.
func (e *Engine) postpone(ctx context.Context, m *message.Message, due time.Time, f *message.Failure) *message.Message {
	step := message.Then(message.Step{At: db.Ms(e.o.Now()), Status: message.Sending, Channel: m.Channel, Sender: m.SenderID, Failure: f, Note: "outcome unknown"})
	if due.After(m.ExpiresAt) {
		due = m.ExpiresAt
	}
	var mine bool
	err := e.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		mine, err = message.Postpone(tx, m, m.UnknownAt, due, step)
		return err
	})
	if err != nil {
		e.o.Log.Error("writing down an unknown outcome", "messageId", m.ID, "err", err)
	}
	if err != nil || mine {
		return m
	}
	return e.reread(ctx, m)
}
