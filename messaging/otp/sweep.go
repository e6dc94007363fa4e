package otp

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/task"
)

// Retention periods of rows, and parameters of their deletion.
const (
	challengeRetention = 24 * time.Hour // after their expiry (M112)
	rateRetention      = time.Hour      // longer than the lifetime of a challenge, whose order the rows determine
	blockRetention     = breakerPeriod
	sweepInterval      = 10 * time.Minute
	sweepBatch         = 500 // rows per transaction, because others wait for it on SQLite
)

// Run calls Sweep immediately and every ten minutes until ctx ends. It logs errors.
func (s *Service) Run(ctx context.Context) error {
	return task.Every(ctx, sweepInterval, s.o.Log, "sweeping one-time codes failed", s.Sweep)
}

// Sweep deletes the rows that are no longer needed.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.o.Now()
	for _, step := range []func(*db.Tx) (int64, error){
		func(tx *db.Tx) (int64, error) { return deleteChallenges(tx, now.Add(-challengeRetention)) },
		func(tx *db.Tx) (int64, error) { return deleteRates(tx, now.Add(-rateRetention)) },
		func(tx *db.Tx) (int64, error) { return deleteClaims(tx, now.Add(-claimLifetime)) },
		func(tx *db.Tx) (int64, error) { return deleteCaps(tx, hourOf(now)) },
		func(tx *db.Tx) (int64, error) { return deleteBlocks(tx, now.Add(-blockRetention)) },
	} {
		for deleted := int64(sweepBatch); deleted == sweepBatch; {
			err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
				deleted, err = step(tx)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
