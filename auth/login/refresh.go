package login

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/task"
)

const (
	refreshEvery = 250 * time.Millisecond
	// refreshOverlap is the overlap between a refresh and the previous one. It is longer than a transaction, and longer
	// than the clock difference between nodes.
	refreshOverlap = 3 * time.Second
	// maxRefreshAge is the time after the last refresh during which the cache is used.
	maxRefreshAge = time.Second
	// maxRowAge is the maximum time of a login in the cache, in case clocks of nodes differ by more than
	// refreshOverlap.
	maxRowAge = 30 * time.Second
)

// Run evicts, until ctx ends, the logins that other nodes changed from the cache.
// While it doesn't run, or can't read the database, polls don't use the cache.
func (s *Service) Run(ctx context.Context, log *slog.Logger) error {
	failing := false
	return task.Every(ctx, refreshEvery, log, "other nodes' logins are unknown: polls read the database", func(ctx context.Context) error {
		err, logged := s.refresh(ctx), failing
		failing = err != nil
		if logged {
			return nil
		}
		return err
	})
}

// singleNode reports whether no other process changes logins, as with SQLite.
func (s *Service) singleNode() bool { return s.db.Engine() == db.SQLite }

// cacheTime returns the maximum time of a login in the cache.
func (s *Service) cacheTime() time.Duration {
	if s.singleNode() {
		return ProveTime
	}
	return maxRowAge
}

// fresh reports whether the cache can be used, because the changes of other nodes are known.
func (s *Service) fresh(now time.Time) bool {
	return s.singleNode() || now.UnixMilli()-s.refreshed.Load() < maxRefreshAge.Milliseconds()
}

// refresh evicts the logins that changed since the last refresh, and reads which receivers got unreadable messages. Each step of a login
// writes an audit event in its transaction; their ids are in chronological order.
func (s *Service) refresh(ctx context.Context) error {
	now := s.now()
	since := time.UnixMilli(min(s.refreshed.Load(), now.UnixMilli())).Add(-refreshOverlap)
	if since.Before(now.Add(-maxRowAge)) {
		since = now.Add(-maxRowAge) // older entries are not used
	}
	if !s.waiting.empty() {
		changed, err := tenant.ChangedLogins(s.db.Read(ctx), since)
		if err != nil {
			return err
		}
		for _, sessionID := range changed {
			s.waiting.evict(sessionID)
		}
		if err := s.refreshUnreadable(ctx, now); err != nil {
			return err
		}
	}
	s.refreshed.Store(now.UnixMilli())
	return nil
}
