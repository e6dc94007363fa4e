package audit

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
)

const (
	sweepEvery = time.Hour
	sweepPause = 20 * time.Millisecond // between two transactions, in which others write
)

// Sweeper deletes the events whose time is over.
type Sweeper struct {
	DB   *db.DB
	Now  clock.Now
	Log  *slog.Logger
	Keep time.Duration // how long an event is kept; 0: for ever
}

// Run sweeps once an hour until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.Error("sweeping the audit log", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Sweep deletes the events that have been kept long enough.
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
