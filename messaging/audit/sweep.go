package audit

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/task"
)

const (
	sweepEvery = time.Hour
	sweepPause = 20 * time.Millisecond // between two transactions, so that others can write
)

// A Sweeper deletes the events whose retention period has ended.
type Sweeper struct {
	DB   *db.DB
	Now  clock.Now
	Log  *slog.Logger
	Keep time.Duration // retention period; 0: no limit
}

// Run calls Sweep once per hour until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	return task.Every(ctx, sweepEvery, s.Log, "sweeping the audit log", s.Sweep)
}

// Sweep deletes the events whose retention period has ended.
func (s *Sweeper) Sweep(ctx context.Context) error {
	if s.Keep == 0 {
		return nil
	}
	until := s.Now().Add(-s.Keep)
	for deleted := int64(sweepSize); deleted == sweepSize; {
		err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
			deleted, err = deleteBefore(tx, until)
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
	return nil
}
