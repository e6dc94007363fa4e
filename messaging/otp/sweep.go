package otp

import (
	"context"
	"time"

	"griot/internal/db"
)

// How long rows are kept that nothing reads any more.
const (
	keepChallenges = 24 * time.Hour // after they expired (document 2 §8)
	keepRates      = time.Hour      // longer than any challenge lives, whose order they give
	keepBlocks     = memory
	sweepPause     = 10 * time.Minute
	sweepBatch     = 500 // rows of a transaction: others wait for it on SQLite
)

// Run sweeps now and every ten minutes until ctx ends. A sweep that fails is
// logged, and the next one takes up what it left.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepPause)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("sweeping one-time codes failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Sweep deletes the rows that nothing reads any more.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.o.Now()
	for _, step := range []func(*db.Tx) (int64, error){
		func(tx *db.Tx) (int64, error) { return deleteChallenges(tx, now.Add(-keepChallenges)) },
		func(tx *db.Tx) (int64, error) { return deleteRates(tx, now.Add(-keepRates)) },
		func(tx *db.Tx) (int64, error) { return deleteClaims(tx, now.Add(-claimTime)) },
		func(tx *db.Tx) (int64, error) { return deleteCaps(tx, hourOf(now)) },
		func(tx *db.Tx) (int64, error) { return deleteBlocks(tx, now.Add(-keepBlocks)) },
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
