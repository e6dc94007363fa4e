package otp

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/task"
)

// How long rows are kept, and how they are deleted.
const (
	challengeRetention = 24 * time.Hour // after they expired (M112)
	rateRetention      = time.Hour      // longer than any challenge lives, whose order they give
	blockRetention     = breakerPeriod
	sweepInterval      = 10 * time.Minute
	sweepBatch         = 500 // rows of a transaction: others wait for it on SQLite
)

// Run sweeps now and every ten minutes until ctx ends. A sweep that fails is logged.
func (s *Service) Run(ctx context.Context) error {
	return task.Every(ctx, sweepInterval, s.o.Log, "sweeping one-time codes failed", s.Sweep)
}

// Sweep deletes the rows that nothing reads any more.
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
