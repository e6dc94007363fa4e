package delivery

import (
	"context"
	"time"

	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/outbox"
)

// MaxBatch is how many messages one batch may have (document 2 §8).
const MaxBatch = 100

// Outcome is what became of one item of a batch: a result, or an error, or
// neither for an item that was skipped because one before it was refused.
type Outcome struct {
	Result *Result
	Err    error
}

// SubmitBatch accepts the requests in order, those that are accepted in one
// commit, and then waits as [Service.Submit] does. An item whose request is
// nil has failed already, for errs[i]. Without goOn, the first item that is
// refused ends the batch: the items before it stand, those after it are skipped.
//
// An error means that nothing was stored, or that it is not known; items with
// idempotency keys can be sent again.
func (s *Service) SubmitBatch(ctx context.Context, c *account.Caller, items []*message.Request, errs []error, goOn bool) ([]Outcome, error) {
	out := make([]Outcome, len(items))
	begun := make([]*submission, len(items))
	var accepts []*outbox.Acceptance
	for i, r := range items {
		err := errs[i]
		if r != nil {
			begun[i], out[i].Result, err = s.prepareItem(ctx, c, r)
		}
		if begun[i] != nil {
			begun[i].mayBegin(ctx, s)
			accepts = append(accepts, begun[i].a)
		}
		if out[i].Err = err; err != nil && !goOn {
			break
		}
	}
	if len(accepts) > 0 {
		err := s.between("batch", func() error { return s.outbox.Accept(ctx, accepts, !goOn) })
		if err != nil {
			for _, sub := range begun {
				if sub != nil {
					s.unstored(ctx, sub, err)
				}
			}
			return nil, err
		}
	}
	timeout := make(chan time.Time)
	timer := time.AfterFunc(s.o.Wait, func() { close(timeout) })
	defer timer.Stop()
	for _, sub := range begun {
		if sub != nil {
			s.launch(ctx, sub)
		}
	}
	for i, sub := range begun {
		if sub != nil && sub.a.Refusal != outbox.Skipped {
			out[i].Result, out[i].Err = s.conclude(ctx, sub, timeout)
		}
	}
	return out, nil
}

// prepareItem is prepare, but looks for the key at once: a message that failed is a
// refusal, and what comes after it must not be stored.
func (s *Service) prepareItem(ctx context.Context, c *account.Caller, r *message.Request) (*submission, *Result, error) {
	if r.IdempotencyKey != "" {
		if replay, err := s.replay(ctx, c, r); replay != nil || err != nil {
			return nil, replay, err
		}
	}
	return s.prepare(ctx, c, r)
}
