package delivery

import (
	"context"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// Cancel cancels a message of the account that is SCHEDULED or QUEUED, and refunds its quota on the day that was charged.
//
// Errors: not_cancelable for a message with another status, which is in the error's field status.
func (s *Service) Cancel(ctx context.Context, c *account.Caller, m *message.Message) (*message.Message, error) {
	if err := account.MayCancelMessages.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	return s.cancel(ctx, c.Account, m)
}

func (s *Service) cancel(ctx context.Context, a *account.Account, m *message.Message) (*message.Message, error) {
	for {
		after, _, err := s.settleOnce(ctx, a, m, &event{kind: cancel})
		if err == nil && after == nil {
			if m, err = s.reread(ctx, m); err == nil {
				continue
			}
		}
		switch {
		case err != nil:
			return nil, err
		case after.Status != message.Canceled: // canceling twice is not an error
			return nil, apierror.NotCancelable.Err().With("messageId", after.ID).With("status", after.Status)
		}
		return s.reread(ctx, after)
	}
}
