package gateway

import (
	"context"
	"time"

	"example.com/griot/griot-whatsapp/store"
)

// keepLeases renews the leases of all numbers until ctx ends, and ends those numbers whose lease is lost.
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

// renew renews once. A number that is closing is renewed, too: nobody is to begin before its socket is closed.
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
	if err != nil { // nobody knows: whoever has not renewed for long enough ends
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
