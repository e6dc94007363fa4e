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

// Options are what a Service needs.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Engine    *delivery.Service
	Now       clock.Now
	Log       *slog.Logger
}

// Service looks after closed accounts.
type Service struct{ o Options }

// New returns a service.
func New(o Options) *Service { return &Service{o} }

const sweepEvery = time.Hour

// Run sweeps once an hour until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	return task.Every(ctx, sweepEvery, s.o.Log, "sweeping closed accounts", s.Sweep)
}

// Sweep cancels what waits in closed accounts, and erases those that were closed [account.ClosedTime] ago. An account that
// fails is looked at again by the next sweep, and keeps no other waiting.
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
	if err != nil || a == nil || !a.Closed() { // it has been reopened
		return err
	}
	if err := s.o.Engine.CancelWaiting(ctx, a); err != nil || s.o.Now().Before(c.At.Add(account.ClosedTime)) {
		return err
	}
	return s.erase(ctx, c)
}
