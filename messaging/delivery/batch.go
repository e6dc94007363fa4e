package delivery

import (
	"context"
	"time"

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

// MaxBatch is the maximum number of messages in a batch.
const MaxBatch = 100 // M58

// An Outcome is the result or the error of one item of a batch. It has neither if the item was skipped because an
// earlier one was refused.
type Outcome struct {
	Result *Result
	Err    error
}

// SubmitBatch accepts the requests in order, all accepted ones in one commit, and waits like [Service.Submit], once for
// all items, including those that repeat earlier requests.
//
// An item whose request is nil has already failed with errs[i]. Without continueOnError, the first refused item ends
// the batch: the items before it are stored, and those after it are skipped.
//
// An error means that nothing was stored, or that this is unknown. Items with idempotency keys can be sent again.
func (s *Service) SubmitBatch(ctx context.Context, c *account.Caller, items []*message.Request, errs []error, continueOnError bool) ([]Outcome, error) {
	s.calls.begin()
	defer s.calls.end()
	out, err := s.submitBatch(ctx, c, items, errs, continueOnError)
	for _, o := range out {
		if o.Result != nil || o.Err != nil {
			s.countSubmission(o.Result, o.Err)
		}
	}
	if err != nil {
		for range items {
			s.countSubmission(nil, err)
		}
	}
	return out, err
}

func (s *Service) submitBatch(ctx context.Context, c *account.Caller, items []*message.Request, errs []error, continueOnError bool) ([]Outcome, error) {
	ctx = outbox.InBulk(ctx)
	out := make([]Outcome, len(items))
	begun := make([]*submission, len(items))
	var accepts []*outbox.Acceptance
	timeout, stop := after(s.o.Wait) // of all items together, new and repeated ones
	defer stop()
	for i, r := range items {
		err := errs[i]
		if r != nil {
			begun[i], out[i].Result, err = s.prepareItem(ctx, c, r, timeout)
		}
		if begun[i] != nil {
			begun[i].requestTurn(ctx, s)
			accepts = append(accepts, begun[i].a)
		}
		if out[i].Err = err; err != nil && !continueOnError {
			break
		}
	}
	if len(accepts) > 0 {
		s.failpoint("batch.before")
		if err := s.outbox.Accept(ctx, accepts, !continueOnError); err != nil {
			for _, sub := range begun {
				if sub != nil {
					s.releaseUnknown(ctx, sub, err)
				}
			}
			return nil, err
		}
		s.failpoint("batch.after")
	}
	for _, sub := range begun {
		if sub != nil {
			s.startDelivery(ctx, sub)
		}
	}
	for i, sub := range begun {
		if sub != nil && sub.a.Refusal != outbox.Skipped {
			out[i].Result, out[i].Err = s.awaitResult(ctx, sub, timeout)
		}
	}
	return out, nil
}

// after returns a channel that is closed after a time, so that it ends any number of waits. stop releases the timer.
func after(d time.Duration) (c <-chan time.Time, stop func() bool) {
	closed := make(chan time.Time)
	return closed, time.AfterFunc(d, func() { close(closed) }).Stop
}

// prepareItem prepares an item like prepare, but looks up the idempotency key first, and waits for its message until
// timeout. A replay of a failed message is a refusal, so the items after it must not be stored.
func (s *Service) prepareItem(ctx context.Context, c *account.Caller, r *message.Request, timeout <-chan time.Time) (*submission, *Result, error) {
	if r.IdempotencyKey != "" {
		if replay, err := s.replay(ctx, c, r, timeout); replay != nil || err != nil {
			return nil, replay, err
		}
	}
	return s.prepare(ctx, c, r)
}
