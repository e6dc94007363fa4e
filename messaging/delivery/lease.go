package delivery

import (
	"context"
	"sync/atomic"
	"time"

	"example.com/griot/internal/clock"
)

// Parts of a lease, in tenths.
const (
	leaseUsable = 8 // time after the request of the last renewal for which gateways can be called
	leaseRenew  = 3 // interval of renewals
	leaseFence  = 3 // time after its end at which other nodes take over this node's senders
)

func tenths(d time.Duration, n int) time.Duration { return d * time.Duration(n) / 10 }

// A lease is the time until which this node can call gateways. It is measured from the request of the last renewal,
// so that a slow response shortens it.
type lease struct {
	alone atomic.Bool // no other process uses the database
	until atomic.Pointer[clockReading]
}

// A clockReading is a time on two clocks, because the wall clock can be set back and the monotonic clock stops while
// the machine is suspended.
type clockReading struct {
	monotonic time.Duration
	wall      time.Time
}

func readClocks() clockReading { return clockReading{clock.Running(), clock.System()} }

func (i clockReading) add(d time.Duration) *clockReading {
	return &clockReading{i.monotonic + d, i.wall.Add(d)}
}

// passed reports whether either clock has reached the time.
func (i *clockReading) passed() bool {
	now := readClocks()
	return now.monotonic >= i.monotonic || !now.wall.Before(i.wall)
}

// holds reports whether gateways can be called now.
func (l *lease) holds() bool {
	if l.alone.Load() {
		return true
	}
	until := l.until.Load()
	return until != nil && !until.passed()
}

// renew takes or renews the lease. onTime means that the lease was still valid.
func (s *Service) renew(ctx context.Context) (onTime bool, err error) {
	asked := readClocks()
	held := s.lease.holds()
	ctx, cancel := context.WithTimeout(ctx, s.o.Lease)
	defer cancel()
	fresh, err := s.outbox.RenewLease(ctx, s.o.Lease)
	if err != nil {
		return false, err
	}
	if fresh {
		s.closeWorkers()
	}
	s.lease.until.Store(asked.add(tenths(s.o.Lease, leaseUsable)))
	return held && !fresh, nil
}

// keepLease renews the lease until ctx ends, and fences nodes whose lease has expired.
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
		if inTime >= 2 { // nodes must not fence each other if the database is slow for all of them
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
