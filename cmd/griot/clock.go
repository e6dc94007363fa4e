package main

import (
	"context"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/doctor"
)

// clockInterval is the time between comparisons of the clock with others.
const clockInterval = 10 * time.Second

// watchClock logs once if this machine's clock is wrong, and once if it is correct again, until ctx ends.
func (a *app) watchClock(ctx context.Context) error {
	tick := time.NewTicker(clockInterval)
	defer tick.Stop()
	for off := false; ; {
		if ahead, source, known := a.clockAhead(ctx); known && (ahead.Abs() > doctor.ClockOff) != off {
			if off = !off; off {
				a.log.Warn("this machine's clock is off, which affects schedules, expiry times, codes, and signatures (run griot doctor)", "source", source, "ahead", (-ahead).Round(time.Millisecond).String())
			} else {
				a.log.Info("this machine's clock is correct again", "source", source)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// clockAhead returns the difference between another clock and ours: PostgreSQL's, or otherwise the gateways'.
func (a *app) clockAhead(ctx context.Context) (ahead time.Duration, source string, known bool) {
	if a.db.Engine() == db.Postgres {
		s, err := a.db.State(ctx, clock.System)
		return s.Ahead, "database", err == nil
	}
	ahead, known = a.gateways.ClockAhead()
	return ahead, "gateway", known
}
