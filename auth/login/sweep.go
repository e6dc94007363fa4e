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

// Sweep deletes the rows that are no longer read.
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
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(sweepPause):
			}
		}
	}
	return nil
}
