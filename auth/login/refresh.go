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
	// What comes later still is noticed when the login has to be read again.
	refreshBack = 2 * time.Second
	// refreshTrust is how long this node believes what it remembers without having heard of the others.
	refreshTrust = time.Second
)

// Run notices, until ctx ends, the logins that other nodes moved. While it
// doesn't run, or can't ask, polls read the database. On SQLite there are no other nodes.
func (s *Service) Run(ctx context.Context, log *slog.Logger) error {
	if s.alone() {
		return nil
	}
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

func (s *Service) alone() bool { return s.db.Engine() == db.SQLite }

// fresh reports whether other nodes' changes are known.
func (s *Service) fresh(now time.Time) bool {
	return s.alone() || now.UnixMilli()-s.refreshed.Load() < refreshTrust.Milliseconds()
}

// refresh forgets the logins that moved since the last time. Each step of a login
// has its event, which is committed with it: their order is that of time.
func (s *Service) refresh(ctx context.Context) error {
	now := s.now()
	since := time.UnixMilli(min(s.refreshed.Load(), now.UnixMilli())).Add(-refreshBack)
	if since.Before(now.Add(-waitTrust)) {
		since = now.Add(-waitTrust) // what was read before isn't believed any more
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
