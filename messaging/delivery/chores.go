package delivery

import (
	"context"
	"time"
)

const (
	choreEvery = time.Minute
	sweepEvery = time.Hour
	earlyMost  = 100
	expireSize = 500
)

// chores does what is to be done now and then, until ctx ends.
func (s *Service) chores(ctx context.Context) {
	tick := time.NewTicker(choreEvery)
	defer tick.Stop()
	var swept time.Time
	for ctx.Err() == nil {
		if err := s.applyEarly(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("applying receipts that came early", "err", err)
		}
		if err := s.expire(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("ending what has waited beyond its life", "err", err)
		}
		if now := s.o.Now(); now.Sub(swept) >= sweepEvery || now.Before(swept) {
			swept = now
			if err := s.outbox.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.o.Log.Error("sweeping", "err", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// applyEarly applies receipts that came before what they are about, where a process died between the two.
func (s *Service) applyEarly(ctx context.Context) error {
	early, err := s.outbox.EarlyReceipts(ctx, earlyMost)
	if err != nil {
		return err
	}
	for _, e := range early {
		if err := s.applyReceipt(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// expire ends messages whose life is over while they wait for their turn: behind a slow pace, that may never come.
func (s *Service) expire(ctx context.Context) error {
	for n := expireSize; n == expireSize && ctx.Err() == nil; {
		entries, err := s.outbox.Expired(ctx, expireSize)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if m, a, err := s.load(ctx, entry); err != nil {
				return err
			} else if m != nil {
				s.settle(ctx, a, m, &event{kind: expired})
			}
		}
		n = len(entries)
	}
	return nil
}
