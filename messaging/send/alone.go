package send

import (
	"context"
	"errors"

	"griot/internal/db"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/quota"
)

// What follows makes the two writes of a plain message single statements where the
// database carries those of many callers together. A statement either does all or
// nothing; whatever it does not do, the transaction's closure decides about.

// accept is the first transaction.
func (e *Engine) accept(ctx context.Context, s *submission) error {
	if e.accepts == nil || !s.plain() {
		return e.transact(ctx, "accept", s.store)
	}
	return e.between("accept", func() error {
		s.m.ChargedDay = quota.Day(s.m.CreatedAt)
		a := message.Acceptance{Key: s.r.IdempotencyKey, Fingerprint: s.fingerprint, Limit: s.c.Account.Plan.DailyLimit}
		if inbox.Shows(s.m) {
			a.Conversation = s.m.Address
		}
		used, ok, err := message.AcceptAlone(ctx, e.accepts, s.m, a)
		if done, err := settledAlone(ok, err); done {
			s.res.Used = used
			return err
		}
		return e.o.DB.Write(ctx, s.store)
	})
}

// plain: the first transaction is key, quota and row.
func (s *submission) plain() bool {
	return s.m.Status != message.Sandbox && s.c.Account.RecipientCap == 0 && s.beside == nil && len(s.events) == 0
}

// finishAlone is [Engine.write] of an outcome beside which nothing is written. done
// is false when the statement has not decided: it was rolled back with others, or
// nobody knows. The closure can follow it either way: only the attempt's owner may finish.
func (e *Engine) finishAlone(ctx context.Context, m *message.Message, o *message.Outcome) (mine, done bool) {
	err := e.between("finish", func() (err error) {
		mine, err = message.FinishAlone(ctx, e.ends, m, o)
		return err
	})
	return mine, err == nil
}

// settledAlone reports whether a statement has decided, or failed for good.
func settledAlone(ok bool, err error) (bool, error) {
	if errors.Is(err, db.ErrUndone) {
		return false, nil
	}
	return ok || err != nil, err
}
