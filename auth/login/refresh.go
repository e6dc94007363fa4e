package login

import (
	"context"
	"log/slog"
	"time"

	"griot/auth/tenant"
	"griot/internal/db"
)

const (
	refreshEvery = 250 * time.Millisecond
	// refreshBack is how far back each look goes: more than a transaction takes and nodes' clocks differ.
	refreshBack = 3 * time.Second
	// refreshTrust is how long this node believes what it remembers without having heard of the others.
	refreshTrust = time.Second
	// rowTrust is how long it believes one login without having read it again, should their clocks differ by more.
	rowTrust = 30 * time.Second
)

// Run notices, until ctx ends, the logins that were moved by others than this
// node. While it doesn't run, or can't ask, polls read the database.
func (s *Service) Run(ctx context.Context, log *slog.Logger) error {
	every := time.NewTicker(refreshEvery)
	defer every.Stop()
	failing := false
	for {
		err := s.refresh(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			log.Error("other nodes' logins are unknown: polls read the database", "err", err)
		}
		failing = err != nil
		select {
		case <-every.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// alone: SQLite has no other nodes, and what this one does it knows.
func (s *Service) alone() bool { return s.db.Engine() == db.SQLite }

func (s *Service) trust() time.Duration {
	if s.alone() {
		return ProveTime
	}
	return rowTrust
}

// fresh reports whether other nodes' changes are known.
func (s *Service) fresh(now time.Time) bool {
	return s.alone() || now.UnixMilli()-s.refreshed.Load() < refreshTrust.Milliseconds()
}

// refresh forgets the logins that moved since the last time. Each step of a login
// has its event, which is committed with it: their order is that of time.
func (s *Service) refresh(ctx context.Context) error {
	now := s.now()
	since := time.UnixMilli(min(s.refreshed.Load(), now.UnixMilli())).Add(-refreshBack)
	if since.Before(now.Add(-rowTrust)) {
		since = now.Add(-rowTrust) // what was read before isn't believed any more
	}
	if !s.waiting.empty() {
		moved, err := tenant.Moved(s.db.Read(ctx), since)
		if err != nil {
			return err
		}
		for _, sessionID := range moved {
			s.waiting.forget(sessionID)
		}
	}
	s.refreshed.Store(now.UnixMilli())
	return nil
}
