package delivery

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

// MaxTests is the maximum number of test messages of the deployment per hour.
const MaxTests = 30

const testsWithin = time.Hour

// Errors of test messages.
var (
	ErrSendingPaused = errors.New("delivery: sending is paused") // on every node
	ErrTooManyTests  = errors.New("delivery: too many test messages")
)

// SubmitTest submits an operator's message by one sender of any account or of the platform, on the sender's channel, and
// by no other. It is a message of the platform, so it isn't in the log of the sender's account and uses no quota. Like
// other sensitive messages, it passes the queue first and lives for minutes. It is sent even if all messages are
// simulated. Unlike with [Service.SubmitWith], a repeated idempotency key returns its message although that has failed. The
// event, an [audit.GatewayTestSent], is recorded with the message.
//
// Errors: those of SubmitWith, also if the recipient has opted out of messages of the sender's account, or if that
// account is suspended; [ErrSendingPaused], and [ErrTooManyTests].
func (s *Service) SubmitTest(ctx context.Context, from account.Sender, r *message.Request, event *audit.Event) (*Result, error) {
	platform, err := s.o.Directory.Platform(ctx)
	if err != nil {
		return nil, err
	}
	own, c := *platform.Account, *platform
	own.Senders, c.Account = []account.Sender{from}, &own
	r.Channel, r.SenderID, r.Sensitive, r.Real = from.Channel, from.ID, true, true
	if r.Wrong == nil {
		r.Wrong = s.checkTest(ctx, from, r.To)
	}
	res, err := s.SubmitWith(ctx, &c, r, func(tx *db.Tx, m *message.Message) error {
		n, err := audit.CountSince(&tx.Query, event.Action, event.At.Add(-testsWithin))
		if err == nil && n >= MaxTests {
			err = ErrTooManyTests
		}
		if err != nil {
			return err
		}
		return audit.Record(tx, event.With("message", m.ID))
	})
	failed, ok := errors.AsType[*apierror.Error](err)
	if !ok || failed.Kind != apierror.MessageFailed {
		return res, err
	}
	id, _ := failed.Extra["messageId"].(string)
	m, err := s.outbox.Find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case m == nil: // its data was deleted
		return nil, failed
	}
	return &Result{Message: m, Deduplicated: true}, nil
}

// checkTest checks what only the deployment and the sender's account know about a test message.
func (s *Service) checkTest(ctx context.Context, from account.Sender, to string) error {
	paused, err := s.outbox.SendingPause(ctx)
	switch {
	case err != nil:
		return err
	case paused != nil:
		return ErrSendingPaused
	case from.AccountID == "":
		return nil
	}
	a, err := s.o.Directory.Account(ctx, from.AccountID)
	switch {
	case err != nil || a == nil:
		return err
	case a.Suspended():
		return apierror.AccountSuspended.Err()
	case !a.HasOptOuts:
		return nil
	}
	out, err := optout.Channels(s.o.DB.Read(ctx), s.people, a.ID, person.Digits(to), "", false)
	if err == nil && out[from.Channel] {
		err = apierror.RecipientOptedOut.Err()
	}
	return err
}
