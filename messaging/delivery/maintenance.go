package delivery

import (
	"context"
	"time"

	"example.com/griot/gateway"
)

const (
	maintenanceInterval = time.Minute
	sweepInterval       = time.Hour
	earlyReceiptsAtOnce = 100
	expireAtOnce        = 500
)

// maintain regularly applies early receipts, drops those of unknown messages, ends expired messages, and cleans up the outbox, until ctx ends.
func (s *Service) maintain(ctx context.Context) {
	tick := time.NewTicker(maintenanceInterval)
	defer tick.Stop()
	var swept time.Time
	for ctx.Err() == nil {
		if err := s.applyEarlyReceipts(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("applying early receipts", "err", err)
		}
		if err := s.dropEarlyReceipts(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("dropping receipts of unknown messages", "err", err)
		}
		if err := s.expireWaiting(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("ending expired messages", "err", err)
		}
		if now := s.o.Now(); now.Sub(swept) >= sweepInterval || now.Before(swept) {
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

// applyEarlyReceipts applies early receipts that a process has stored but not applied before it died.
func (s *Service) applyEarlyReceipts(ctx context.Context) error {
	early, err := s.outbox.EarlyReceipts(ctx, earlyReceiptsAtOnce)
	if err != nil {
		return err
	}
	for _, e := range early {
		if err := s.applyEarlyReceipt(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// dropEarlyReceipts deletes early receipts whose messages never became known, and counts and logs them. Most often, the
// gateway writes an ID in another form than in its response.
func (s *Service) dropEarlyReceipts(ctx context.Context) error {
	dropped, err := s.outbox.DropEarlyReceipts(ctx)
	if err != nil {
		return err
	}
	for name, n := range dropped {
		for range n {
			s.o.Gateways.RecordUnhandled(name, gateway.UnhandledMessage)
		}
		s.o.Gateways.Log(name).Warn("delivery receipts matched no message", "count", n)
	}
	return nil
}

// expireWaiting ends messages that expire while they wait, because at a slow pace their turn might never come.
func (s *Service) expireWaiting(ctx context.Context) error {
	for n := expireAtOnce; n == expireAtOnce && ctx.Err() == nil; {
		entries, err := s.outbox.Expired(ctx, expireAtOnce)
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
