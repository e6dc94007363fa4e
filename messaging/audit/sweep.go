package audit

import (
	"context"
	"log/slog"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
)

// Retention is how long an event is kept.
const Retention = 400 * 24 * time.Hour

const sweepEvery = time.Hour

// Sweeper deletes the events whose time is over.
type Sweeper struct {
	DB  *db.DB
	Now clock.Now
	Log *slog.Logger
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

// Sweep deletes the events that are older than [Retention].
func (s *Sweeper) Sweep(ctx context.Context) error {
	until := s.Now().Add(-Retention)
	for deleted := int64(sweepSize); deleted == sweepSize; {
		err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
			deleted, err = deleteBefore(tx, until)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
