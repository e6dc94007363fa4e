package send

import (
	"context"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/messaging/account"
	"griot/messaging/inbox"
	"griot/messaging/message"
)

// Cancel ends a message of the account that is SCHEDULED or QUEUED, and gives its
// quota's unit back to the day that was charged.
//
// Errors: not_cancelable for a message past that; its status is in the error's status member.
func (e *Engine) Cancel(ctx context.Context, a *account.Account, m *message.Message) (*message.Message, error) {
	if m.HandedOver() { // one way has it, and another is being tried
		return nil, notCancelable(m)
	}
	now := e.o.Now()
	step := message.Then(message.Step{At: db.Ms(now), Status: message.Canceled, Channel: m.Channel})
	var done bool
	err := e.transact(ctx, "cancel", func(tx *db.Tx) (err error) {
		if done, err = message.Cancel(tx, m, now, step); err != nil || !done {
			return err
		}
		if m.ChargedDay != 0 {
			if err := refund(tx, a, m); err != nil {
				return err
			}
		}
		return inbox.Touch(tx, m)
	})
	if err != nil {
		return nil, err
	}
	after := e.reread(ctx, m)
	if !done && after.Status != message.Canceled { // canceled twice is canceled
		return nil, notCancelable(after)
	}
	return after, nil
}

func notCancelable(m *message.Message) error {
	return fault.NotCancelable.Err().With("messageId", m.ID).With("status", m.Status)
}
