package login

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/task"
)

// Retention of rows. Expiry is checked when a row is read; the sweep only frees space.
const (
	keepSessions = 24 * time.Hour
	keepUnproved = ProveTime + time.Hour // from the start, for logins that nobody has proved: anyone can start any number
	keepProofs   = 24 * time.Hour
	keepCounted  = 30 * 24 * time.Hour // for starts and failed sign-ins, which anyone can cause
	sweepsEvery  = 10 * time.Minute
	sweepPause   = 20 * time.Millisecond // between two transactions, so that others can write
	sweepBatch   = 500                   // rows of a transaction; other transactions wait for it on SQLite
)

// RunSweeps sweeps now and every ten minutes until ctx ends. A failed sweep is logged,
// and the next one deletes the remaining rows.
func (s *Service) RunSweeps(ctx context.Context, log *slog.Logger) error {
	return task.Every(ctx, sweepsEvery, log, "sweeping logins failed", s.Sweep)
}

// Sweep deletes the rows that are no longer read. Of the logins, those that nobody has proved go first: strangers can
// start them in any number, so they are deleted an hour after their end. All others are stored for a day.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	steps := []func(*db.Tx) (int64, error){
		func(tx *db.Tx) (int64, error) { return deleteWords(tx, now) },
		func(tx *db.Tx) (int64, error) { return deleteProofs(tx, now.Add(-keepProofs)) },
		func(tx *db.Tx) (int64, error) { return deleteSessions(tx, id.First(now.Add(-keepSessions))) },
		func(tx *db.Tx) (int64, error) { return deleteCounted(tx, id.First(now.Add(-keepCounted))) },
	}
	if s.keepAudit > 0 {
		steps = append(steps, func(tx *db.Tx) (int64, error) { return deleteEvents(tx, id.First(now.Add(-s.keepAudit))) })
	}
	for _, step := range steps {
		for deleted := int64(sweepBatch); deleted == sweepBatch; {
			err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
				deleted, err = step(tx)
				return err
			})
			if err != nil {
				return err
			}
			if !pause(ctx) {
				return nil
			}
		}
	}
	return s.sweepUnproved(ctx, id.First(now.Add(-keepUnproved)))
}

// sweepUnproved deletes the logins before an id that nobody has proved. It reads the rows in the order of their ids, a
// batch at a time, and begins after those that an earlier sweep has read: a login this old can no longer be proved, so
// the rows there don't change. An index would cost each start and each proof a write.
func (s *Service) sweepUnproved(ctx context.Context, beforeID string) error {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	for {
		last, err := s.endOfBatch(ctx, s.swept, beforeID)
		if err != nil || last == "" {
			return err
		}
		err = s.db.Write(ctx, func(tx *db.Tx) error { return deleteUnproved(tx, s.swept, last) })
		if err != nil {
			return err
		}
		if s.swept = last; !pause(ctx) {
			return nil
		}
	}
}

// pause lets other transactions write. It returns false if ctx has ended.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(sweepPause):
		return true
	}
}
