package send

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/message"
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
// transaction, and then waits as [Engine.Submit] does. An item whose request is
// nil has failed already, for errs[i]. Without goOn, the first item that is
// refused ends the batch: the items before it stand, those after it are skipped.
//
// An error means that nothing was stored, or that it is not known; items with
// idempotency keys can be sent again.
func (e *Engine) SubmitBatch(ctx context.Context, c *account.Caller, items []*message.Request, errs []error, goOn bool) ([]Outcome, error) {
	out := make([]Outcome, len(items))
	begun := make([]*submission, len(items))
	for i, r := range items {
		err := errs[i]
		if r != nil {
			begun[i], out[i].Result, err = e.beginItem(ctx, c, r)
		}
		if out[i].Err = err; err != nil && !goOn {
			break
		}
	}
	stored := len(items)
	err := e.transact(ctx, "batch", func(tx *db.Tx) error {
		stored = len(items)
		for i, s := range begun {
			if s == nil {
				continue
			}
			if err := s.store(tx); err != nil {
				return err
			}
			if s.refused != accepted && s.refused != keyTaken && !goOn {
				stored = i + 1
				return nil
			}
		}
		return nil
	})
	if err != nil {
		for _, s := range begun {
			if s != nil {
				e.abandon(s)
			}
		}
		return nil, err
	}
	timeout := make(chan time.Time)
	timer := time.AfterFunc(e.o.Wait, func() { close(timeout) })
	defer timer.Stop()
	for i, s := range begun {
		switch {
		case s == nil:
		case i < stored:
			e.launch(ctx, s)
		default:
			e.abandon(s)
			begun[i] = nil
		}
	}
	for i, s := range begun {
		if s != nil {
			out[i].Result, out[i].Err = e.conclude(ctx, s, timeout)
		}
	}
	return out, nil
}

// beginItem is begin, but looks for the key at once: a message that failed is a
// refusal, and what comes after it must not be stored.
func (e *Engine) beginItem(ctx context.Context, c *account.Caller, r *message.Request) (*submission, *Result, error) {
	if r.IdempotencyKey != "" {
		if replay, err := e.replay(ctx, c, r); replay != nil || err != nil {
			return nil, replay, err
		}
	}
	return e.begin(ctx, c, r)
}
