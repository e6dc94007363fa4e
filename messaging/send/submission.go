package send

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/messaging/account"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/quota"
	"griot/messaging/webhook"
)

// submission is a request on its way through [Engine.Submit] or [Engine.SubmitBatch].
type submission struct {
	c           *account.Caller
	r           *message.Request
	asked       *message.Request // with an idempotency key: r as it came
	m           *message.Message
	res         *Result
	events      []*webhook.Event                     // of a simulated message
	slot        *slot                                // held for it; nil: it waits for one
	fingerprint string                               // with an idempotency key
	landed      chan struct{}                        // with an idempotency key: closed when the first attempt has ended
	beside      func(*db.Tx, *message.Message) error // what else the first transaction stores; nil: nothing
	refused     refusal
	done        chan *message.Message // nil unless it is being carried
	counted     bool                  // among what is under way
}

// refusal is why the first transaction stored nothing.
type refusal int

const (
	accepted refusal = iota
	keyTaken
	keyForeign
	noQuota
	recipientFull
)

// store is the first transaction: key, quota and row, all or none. It may run twice.
func (s *submission) store(tx *db.Tx) (err error) {
	s.refused = accepted
	a, m, key := s.c.Account, s.m, s.r.IdempotencyKey
	if key != "" {
		fresh, err := message.Remember(tx, a.ID, key, m.ID, s.fingerprint)
		if err != nil || !fresh {
			return s.meet(tx, err)
		}
	}
	day := quota.Day(m.CreatedAt)
	if m.Status == message.Sandbox {
		if s.res.Used, err = quota.Used(&tx.Query, a.ID, day); err != nil {
			return err
		}
		return s.insert(tx)
	}
	m.ChargedDay = day
	if s.refused, err = s.charge(tx, day); err != nil {
		return err
	}
	if s.refused == accepted {
		return s.insert(tx)
	}
	if key != "" { // a refusal leaves nothing behind
		return message.Forget(tx, a.ID, key, m.ID)
	}
	return nil
}

// meet decides what a key is that was taken already: the repetition's, or another's.
func (s *submission) meet(tx *db.Tx, err error) error {
	s.refused = keyTaken
	if err != nil {
		return err
	}
	holder, err := message.Remembered(&tx.Query, s.c.Account.ID, s.r.IdempotencyKey)
	if err == nil && holder != nil && !holder.Replays(s.c.ProjectID, s.r.Sandbox) {
		s.refused = keyForeign
	}
	return err
}

// insert stores the row, and what goes with it.
func (s *submission) insert(tx *db.Tx) error {
	if err := inbox.Join(tx, s.m); err != nil {
		return err
	}
	if err := message.Insert(tx, s.m); err != nil {
		return err
	}
	for _, e := range s.events {
		if err := webhook.Insert(tx, e); err != nil {
			return err
		}
	}
	if s.beside == nil {
		return nil
	}
	return s.beside(tx, s.m)
}

// charge takes the day's unit and the recipient's, both or neither.
func (s *submission) charge(tx *db.Tx, day int64) (refusal, error) {
	a, m := s.c.Account, s.m
	if a.RecipientCap > 0 {
		if ok, err := quota.TakeRecipient(tx, a.ID, m.Recipient(), day, a.RecipientCap); err != nil || !ok {
			return recipientFull, err
		}
	}
	used, ok, err := quota.Take(tx, a.ID, day, a.Plan.DailyLimit)
	if err != nil || ok {
		s.res.Used = used
		return accepted, err
	}
	if a.RecipientCap > 0 {
		return noQuota, quota.GiveBackRecipient(tx, a.ID, m.Recipient(), day)
	}
	return noQuota, nil
}

// abandon gives back what a submission held that is not carried.
func (e *Engine) abandon(s *submission) {
	e.left(s, true)
	if s.slot != nil {
		s.slot.release()
	}
	e.land(s)
}

// land tells those who wait for a submission's first attempt that there is nothing to wait for.
func (e *Engine) land(s *submission) {
	if s.landed != nil {
		e.flights.Delete(s.m.ID)
		close(s.landed)
	}
}

// launch begins to carry what was stored, if it is to be carried at once.
func (e *Engine) launch(ctx context.Context, s *submission) {
	if s.refused == accepted && len(s.events) > 0 {
		e.told(s.events[0])
	}
	if s.refused != accepted || s.slot == nil {
		if s.refused == accepted && s.m.Status == message.Queued {
			e.traffic.enlist(s.m)
			e.signal()
		}
		e.abandon(s)
		return
	}
	s.done = make(chan *message.Message, 1)
	carried := *s.m // the carrier's own: the request may be answered before it ends
	place := e.traffic.join(s.m, s.slot)
	e.carried.Go(func() {
		defer s.slot.release()
		defer e.land(s)
		defer place.leave("", false)
		s.done <- e.carry(context.WithoutCancel(ctx), s.c.Account, &carried, place)
	})
}

// conclude waits for the first attempt, until timeout, and says what became of the request.
func (e *Engine) conclude(ctx context.Context, s *submission, timeout <-chan time.Time) (*Result, error) {
	defer func() {
		e.left(s, s.refused != accepted || s.res.Message.Status != message.Queued && s.res.Message.Status != message.Sending)
	}()
	left := quota.Left(e.o.Now())
	limit := s.c.Account.Plan.DailyLimit
	switch s.refused {
	case keyTaken:
		replay, err := e.replay(ctx, s.c, s.asked)
		if replay == nil && err == nil {
			err = fault.Internal.Err() // keys are never untied by others
		}
		return replay, err
	case keyForeign:
		return nil, fault.IdempotencyKeyUsed.Err()
	case noQuota:
		return nil, fault.QuotaExceeded.After(left).With("messagesUsed", limit).With("limit", limit)
	case recipientFull:
		return nil, fault.RecipientLimitReached.After(left).With("recipientLimit", s.c.Account.RecipientCap)
	case accepted:
	}
	if s.done == nil {
		return s.res, nil
	}
	select {
	case s.res.Message = <-s.done:
		if s.res.Message.Status == message.Failed && !s.res.Message.HandedOver() {
			s.res.Used-- // its unit was given back
		}
	case <-timeout:
	}
	return s.res, nil
}
