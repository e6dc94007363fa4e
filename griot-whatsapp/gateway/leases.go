package gateway

import (
	"context"
	"time"

	"example.com/griot/griot-whatsapp/store"
)

// keepLeases renews the leases of all numbers until ctx ends, and stops the numbers whose lease is lost.
func (g *Gateway) keepLeases(ctx context.Context) {
	interval := g.config.Lease / 5
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			limited, cancel := context.WithTimeout(ctx, interval)
			g.renew(limited)
			cancel()
		case <-ctx.Done():
			return
		}
	}
}

// renew renews all leases once, including those of numbers that are closing, so that no other process starts a number
// before its socket is closed.
func (g *Gateway) renew(ctx context.Context) {
	byLease := map[*store.Lease]*number{}
	var leases []*store.Lease
	g.mu.Lock()
	for _, n := range g.numbers {
		byLease[n.lease] = n
		leases = append(leases, n.lease)
	}
	g.mu.Unlock()
	asked := time.Now()
	lost, err := g.config.Store.Renew(ctx, leases)
	if err != nil { // the result is unknown, so stop the numbers that were not renewed for too long
		for _, n := range byLease {
			if !n.holds() {
				n.lost()
			}
		}
		return
	}
	for _, l := range lost {
		byLease[l].lost()
		delete(byLease, l)
	}
	for _, n := range byLease {
		n.asked.Store(&asked)
	}
}
