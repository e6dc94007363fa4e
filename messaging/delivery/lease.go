package delivery

import (
	"context"
	"sync/atomic"
	"time"

	"griot/internal/clock"
)

// Parts of a lease, in tenths.
const (
	leaseCall  = 8 // gateways may be called for so long after the last renewal was asked for
	leaseRenew = 3 // it is renewed so often
	leaseFence = 3 // other nodes take this one's senders so long after it is over
)

func tenths(d time.Duration, n int) time.Duration { return d * time.Duration(n) / 10 }

// lease is until when this node may call gateways, measured from when it was asked for: a slow answer makes it shorter,
// never longer.
type lease struct {
	alone atomic.Bool // no other process has the database
	until atomic.Pointer[instant]
}

// instant is a time by two clocks: one may be set back, the other may stand still while the machine sleeps.
type instant struct {
	running time.Duration
	wall    time.Time
}

func instantNow() instant { return instant{clock.Running(), clock.System()} }

func (i instant) add(d time.Duration) *instant { return &instant{i.running + d, i.wall.Add(d)} }

// passed reports whether either clock has come to the time.
func (i *instant) passed() bool {
	now := instantNow()
	return now.running >= i.running || !now.wall.Before(i.wall)
}

// holds reports whether gateways may be called now.
func (l *lease) holds() bool {
	if l.alone.Load() {
		return true
	}
	until := l.until.Load()
	return until != nil && !until.passed()
}

// renew gets or renews the lease. onTime: this renewal came before the last one was over.
func (s *Service) renew(ctx context.Context) (onTime bool, err error) {
	asked := instantNow()
	held := s.lease.holds()
	ctx, cancel := context.WithTimeout(ctx, s.o.Lease)
	defer cancel()
	fresh, err := s.outbox.RenewLease(ctx, s.o.Lease)
	if err != nil {
		return false, err
	}
	if fresh {
		s.dropWorkers()
	}
	s.lease.until.Store(asked.add(tenths(s.o.Lease, leaseCall)))
	return held && !fresh, nil
}

// keepLease renews the lease, and takes their senders from nodes whose lease is over.
func (s *Service) keepLease(ctx context.Context) {
	if s.outbox.SingleNode() || s.o.AcceptOnly {
		return
	}
	tick := time.NewTicker(tenths(s.o.Lease, leaseRenew))
	defer tick.Stop()
	for inTime := 0; ; {
		onTime, err := s.renew(ctx)
		switch {
		case err != nil:
			inTime = 0
			if ctx.Err() == nil {
				s.o.Log.Error("renewing the node's lease", "err", err)
			}
		case onTime:
			inTime++
		default:
			inTime = 0
		}
		if inTime >= 2 { // a database that is slow for all makes nobody take from anybody
			if err := s.outbox.FenceExpired(ctx, tenths(s.o.Lease, leaseFence)); err != nil && ctx.Err() == nil {
				s.o.Log.Error("looking for nodes that are gone", "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
