package delivery

import (
	"context"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/quota"
)

// awaitResult waits for the first result, until timeout, and returns the request's result or its refusal.
func (s *Service) awaitResult(ctx context.Context, sub *submission, timeout <-chan time.Time) (*Result, error) {
	left := quota.UntilNextDay(s.o.Now())
	limit := sub.c.Account.Plan.DailyLimit
	switch sub.a.Refusal {
	case outbox.KeyTaken:
		replay, err := s.replay(ctx, sub.c, sub.original, timeout)
		if replay == nil && err == nil {
			err = apierror.Internal.Err() // the keys of stored messages are never deleted
		}
		return replay, err
	case outbox.KeyUsedByOther:
		return nil, apierror.IdempotencyKeyUsed.Err()
	case outbox.NoQuota:
		return nil, apierror.QuotaExceeded.After(left).With("messagesUsed", limit).With("limit", limit)
	case outbox.RecipientFull:
		return nil, apierror.RecipientLimitReached.After(left).With("recipientLimit", sub.c.Account.RecipientCap)
	case outbox.AccountClosed:
		return nil, apierror.AccountClosed.Err()
	case outbox.AccountSuspended:
		return nil, apierror.AccountSuspended.Err()
	case outbox.Stored, outbox.Skipped:
	}
	res := &Result{Message: sub.m, Used: sub.a.Used, Limit: limit}
	defer func() {
		s.leaveBacklog(sub, res.Message.Status != message.Queued && res.Message.Status != message.Sending)
	}()
	if sub.first == nil {
		return res, nil
	}
	defer s.results.forget(sub.m.ID)
	if sub.turn == nil && !sub.turnSoon {
		s.results.set(sub.m) // for callers that repeat the request in the meantime
		return res, nil
	}
	if m := s.firstResult(ctx, sub, timeout); m != nil {
		res.Message = m
		if m.Status.HasFailed() && !m.HandedOver() {
			res.Used-- // its unit was refunded
		}
	}
	return res, nil
}

// firstResult waits for the end of the first attempt, on any node. It returns nil if the attempt has not ended by timeout.
func (s *Service) firstResult(ctx context.Context, sub *submission, timeout <-chan time.Time) *message.Message {
	var elsewhere <-chan time.Time
	var look *time.Timer
	pause := firstPoll
	if sub.turn == nil && s.worker(sub.m.SenderID) == nil {
		look = time.NewTimer(pause)
		defer look.Stop()
		elsewhere = look.C
	}
	for {
		select {
		case <-sub.first.done:
			return sub.first.message
		case <-timeout:
			return nil
		case <-elsewhere:
			m, err := s.outbox.Find(context.WithoutCancel(ctx), sub.m.ID)
			if err == nil && m != nil && (!waiting(m) && (m.Status != message.Sending || !m.UnknownAt.IsZero()) || !m.DueAt.IsZero() && m.Status == message.Queued) {
				s.results.set(m) // for callers that repeat the request on this node in the meantime
				return m
			}
			pause = min(2*pause, replayPoll)
			look.Reset(pause)
		}
	}
}
