package delivery

import (
	"context"
	"errors"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// StartCancelWaiting cancels the queued messages of a closed account in the background. Messages that it does not
// reach are canceled when their turn comes.
func (s *Service) StartCancelWaiting(a *account.Account) {
	s.calls.Go(func() {
		if err := s.CancelWaiting(s.ctx, a); err != nil && s.ctx.Err() == nil {
			s.o.Log.Error("canceling the messages of a closed account", "accountId", a.ID, "err", err)
		}
	})
}

// CancelWaiting cancels the messages of an account that are SCHEDULED or QUEUED, except those that an earlier route has accepted.
func (s *Service) CancelWaiting(ctx context.Context, a *account.Account) error {
	const onPage = 200
	for _, status := range []message.Status{message.Scheduled, message.Queued} {
		f := &message.Filter{AccountID: a.ID, Status: status, Limit: onPage}
		for more := true; more && !s.stopping.Load(); more = f.After.ID != "" {
			list, next, err := message.List(s.o.DB.Read(ctx), f)
			if err != nil {
				return err
			}
			for _, m := range list {
				if _, err := s.cancel(ctx, a, m); err != nil && !errors.Is(err, apierror.NotCancelable.Err()) {
					return err
				}
			}
			f.After = next
		}
	}
	return nil
}
