package closing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/task"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/mail"
)

// Options contains the dependencies of a Service.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Delivery  *delivery.Service
	Billing   *billing.Service
	Mail      *mail.Service
	Now       clock.Now
	Log       *slog.Logger
}

// A Service closes accounts and processes closed ones.
type Service struct{ o Options }

// New returns a service.
func New(o Options) *Service { return &Service{o} }

// Close closes the caller's account, whose name they have typed, cancels its queued messages, and notifies its owner. It
// returns the time of closing.
//
// Errors: [apierror.InvalidRequest] for the name, [apierror.SubscriptionActive], [apierror.AccountClosed].
func (s *Service) Close(ctx context.Context, c *account.Caller, name string, lang i18n.Lang) (at time.Time, err error) {
	if err := account.MayCloseAccount.Check(c, s.o.Now()); err != nil {
		return at, err
	}
	if strings.TrimSpace(name) != c.Account.Name {
		return at, apierror.InvalidRequest.On("name").Detailf("name must be the account's name.")
	}
	at, err = s.o.Directory.Close(ctx, c.Account, func(tx *db.Tx) (refused, err error) { return s.o.Billing.MayClose(tx, c.Account.ID) })
	if errors.Is(err, account.ErrNotOwner) { // another request was faster
		err = apierror.AccountClosed.Err()
	}
	if err != nil {
		return at, err
	}
	s.o.Delivery.StartCancelWaiting(c.Account)
	s.o.Mail.NotifyClosed(c.Account.Email, c.Account.Name, at.Add(account.ClosedTime), lang)
	return at, nil
}

// CloseByOperator closes an account, like its owner does, but notifies no one.
//
// Errors: [apierror.SubscriptionActive], those of [account.Directory.Close].
func (s *Service) CloseByOperator(ctx context.Context, a *account.Account) error {
	_, err := s.o.Directory.Close(ctx, a, func(tx *db.Tx) (refused, err error) {
		renews, err := billing.Renews(&tx.Query, a.ID)
		if err == nil && renews {
			refused = apierror.SubscriptionActive.Err()
		}
		return refused, err
	})
	return err
}

const sweepEvery = time.Hour

// Run calls Sweep once per hour until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	return task.Every(ctx, sweepEvery, s.o.Log, "sweeping closed accounts", s.Sweep)
}

// Sweep cancels queued messages of closed accounts, and erases the accounts that were closed [account.ClosedTime]
// ago. If an account fails, Sweep continues with the others, and the next Sweep tries it again.
func (s *Service) Sweep(ctx context.Context) error {
	closed, err := s.o.Directory.ClosedAccounts(ctx)
	if err != nil {
		return err
	}
	for _, c := range closed {
		if failed := s.sweep(ctx, c); failed != nil {
			err = errors.Join(err, fmt.Errorf("account %s: %w", c.AccountID, failed))
		}
	}
	return err
}

func (s *Service) sweep(ctx context.Context, c account.Closing) error {
	a, err := s.o.Directory.Account(ctx, c.AccountID)
	if err != nil || a == nil || !a.Closed() { // the account was reopened
		return err
	}
	if err := s.o.Delivery.CancelWaiting(ctx, a); err != nil || s.o.Now().Before(c.At.Add(account.ClosedTime)) {
		return err
	}
	return s.erase(ctx, c)
}
