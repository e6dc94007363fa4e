package closing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/task"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
)

// Options contains the dependencies of a Service.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Engine    *delivery.Service
	Now       clock.Now
	Log       *slog.Logger
}

// A Service processes closed accounts.
type Service struct{ o Options }

// New returns a service.
func New(o Options) *Service { return &Service{o} }

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
	if err := s.o.Engine.CancelWaiting(ctx, a); err != nil || s.o.Now().Before(c.At.Add(account.ClosedTime)) {
		return err
	}
	return s.erase(ctx, c)
}
