package send

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/quota"
	"griot/messaging/route"
)

// Result is what became of a request.
type Result struct {
	Message         *message.Message
	Deduplicated    bool
	PayloadMismatch bool // a replay whose body differs from the first one's
	Used            int64
	Limit           int64 // 0: none
}

// Submit accepts a request, once: when it returns without an error the message is
// stored. It waits for the gateway, but not longer than Options.Wait; a message
// that is still on its way then comes back as QUEUED or SENDING. A caller that
// goes away cancels nothing.
//
// Errors: those of [message.Presets.Apply], [message.Request.Check], [route.Pick] and document 2 §7
// (quota_exceeded, recipient_limit_reached, message_failed for a replay), with
// nothing stored; any other error means that it is not known whether the message
// was stored, and the same idempotency key tells.
func (e *Engine) Submit(ctx context.Context, c *account.Caller, r *message.Request) (*Result, error) {
	if r.IdempotencyKey != "" {
		if replay, err := e.replay(ctx, c, r); replay != nil || err != nil {
			return replay, err
		}
	}
	if err := e.prepare(r); err != nil {
		return nil, err
	}
	now := e.o.Now()
	if err := r.CheckTimes(now); err != nil {
		return nil, err
	}
	r.Sandbox = e.simulated(c, r)
	m := message.New(r, c.Account.ID, c.ProjectID, now)
	begun := message.Queued // what the timeline begins with
	if r.Sandbox {
		m.Status, begun = message.Sandbox, message.Sandbox
	} else {
		s, err := route.Pick(c.Account.Senders, r.Channel, r.SenderID, e.Usable)
		if err != nil {
			return nil, err
		}
		m.SenderID, m.From, m.Gateway = s.ID, s.Address, s.Gateway
		switch {
		case !m.ScheduledAt.IsZero():
			m.Status, m.DueAt, begun = message.Scheduled, m.ScheduledAt, message.Scheduled
		case e.reserve(1) == 1: // it is handed over at once
			m.Status, m.DueAt, m.Attempt = message.Sending, now.Add(e.lease()), 1
		default: // Run takes it up
			m.Status, m.DueAt = message.Queued, now
		}
	}
	if err := e.conceal(m); err != nil {
		return nil, err
	}
	m.Timeline = message.First(message.Step{At: db.Ms(now), Status: begun, Channel: m.Channel, Sender: m.SenderID})
	return e.accept(ctx, c, r, m)
}

// prepare fills in a request's preset and checks the whole.
func (e *Engine) prepare(r *message.Request) error {
	if err := e.o.Presets.Apply(r); err != nil {
		return err
	}
	return r.Check()
}

// simulated reports whether a request must reach no gateway (document 2 §5 and §6).
func (e *Engine) simulated(c *account.Caller, r *message.Request) bool {
	return r.Sandbox || e.o.Sandbox || c.Kind == account.Test
}

// refusal is why the first transaction stored nothing.
type refusal int

const (
	accepted refusal = iota
	keyTaken
	noQuota
	recipientFull
)

func (e *Engine) accept(ctx context.Context, c *account.Caller, r *message.Request, m *message.Message) (*Result, error) {
	holdsSlot := m.Status == message.Sending
	landed := make(chan struct{})
	if r.IdempotencyKey != "" {
		e.flights.Store(m.ID, landed)
	}
	land := func() {
		close(landed)
		e.flights.Delete(m.ID)
	}
	res := &Result{Message: m, Limit: c.Account.Plan.DailyLimit}
	refused, err := e.store(ctx, c, r, m, res)
	if err != nil || refused != accepted || !holdsSlot {
		if holdsSlot {
			e.release(1)
		}
		land()
		if err != nil {
			return nil, err
		}
		return e.answer(ctx, c, r, refused, res)
	}
	done := make(chan *message.Message, 1)
	carried := *m // the carrier's own: this request may be answered before it ends
	e.carried.Go(func() {
		defer e.release(1)
		defer land()
		done <- e.carry(context.WithoutCancel(ctx), c.Account, &carried)
	})
	timer := time.NewTimer(e.o.Wait)
	defer timer.Stop()
	select {
	case res.Message = <-done:
		if res.Message.Status == message.Failed && res.Message.UnknownAt.IsZero() {
			res.Used-- // its unit was given back
		}
	case <-timer.C:
	}
	return res, nil
}

// store is the first transaction.
func (e *Engine) store(ctx context.Context, c *account.Caller, r *message.Request, m *message.Message, res *Result) (refused refusal, err error) {
	day := quota.Day(m.CreatedAt)
	if m.Status != message.Sandbox {
		m.ChargedDay = day
	}
	fingerprint := ""
	if r.IdempotencyKey != "" {
		fingerprint = r.Fingerprint(e.print)
	}
	err = e.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		refused = accepted
		if r.IdempotencyKey != "" {
			fresh, err := message.Remember(tx, c.Account.ID, r.IdempotencyKey, m.ID, fingerprint)
			if err != nil || !fresh {
				refused = keyTaken
				return err
			}
		}
		if m.Status == message.Sandbox {
			if res.Used, err = quota.Used(&tx.Query, c.Account.ID, day); err != nil {
				return err
			}
			return message.Insert(tx, m)
		}
		if refused, err = e.charge(tx, c.Account, m, res, day); err != nil || refused == accepted {
			if err == nil {
				err = message.Insert(tx, m)
			}
			return err
		}
		if r.IdempotencyKey != "" { // a refusal leaves nothing behind
			return message.Forget(tx, c.Account.ID, r.IdempotencyKey, m.ID)
		}
		return nil
	})
	return refused, err
}

// charge takes the day's unit and the recipient's, both or neither.
func (e *Engine) charge(tx *db.Tx, a *account.Account, m *message.Message, res *Result, day int64) (refusal, error) {
	if a.RecipientCap > 0 {
		if ok, err := quota.TakeRecipient(tx, a.ID, m.Address, day, a.RecipientCap); err != nil || !ok {
			return recipientFull, err
		}
	}
	used, ok, err := quota.Take(tx, a.ID, day, a.Plan.DailyLimit)
	if err != nil || ok {
		res.Used = used
		return accepted, err
	}
	if a.RecipientCap > 0 {
		return noQuota, quota.GiveBackRecipient(tx, a.ID, m.Address, day)
	}
	return noQuota, nil
}

func (e *Engine) answer(ctx context.Context, c *account.Caller, r *message.Request, refused refusal, res *Result) (*Result, error) {
	left := quota.Left(e.o.Now())
	switch refused {
	case keyTaken:
		replay, err := e.replay(ctx, c, r)
		if replay == nil && err == nil {
			err = fault.Internal.Err() // keys are never untied by others
		}
		return replay, err
	case noQuota:
		return nil, fault.QuotaExceeded.After(left).With("messagesUsed", c.Account.Plan.DailyLimit).With("limit", c.Account.Plan.DailyLimit)
	case recipientFull:
		return nil, fault.RecipientLimitReached.After(left).With("recipientLimit", c.Account.RecipientCap)
	case accepted:
		if res.Message.Status == message.Queued {
			e.signal()
		}
	}
	return res, nil
}
