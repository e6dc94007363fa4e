package history

import (
	"fmt"
	"maps"
	"slices"
)

// checkPace checks every window of the calls of each gateway with a rate. Such a gateway has one sender.
//
// A call that was recorded while the recorder did not run might have arrived at any time since then.
func (c *checker) checkPace() {
	stalls := c.all(Stall)
	byGateway := map[string][]int{}
	for _, i := range c.all(Call) {
		byGateway[c.h[i].Gateway] = append(byGateway[c.h[i].Gateway], i)
	}
	for _, name := range slices.Sorted(maps.Keys(byGateway)) {
		if g, ok := c.gateways[name]; ok && c.h[g].Rate > 0 {
			c.checkWindows(&c.h[g], byGateway[name], stalls)
		}
	}
}

// checkWindows reports the first window that has too many calls. With n calls before it, a call at t is compared with the
// lowest n - rate × t of those before.
func (c *checker) checkWindows(g *Event, calls, stalls []int) {
	perMicrosecond := g.Rate / 1e6
	allowed := float64(max(g.Burst, 1)) + float64(g.Slack)*perMicrosecond
	lowest, first := 0.0, -1
	for n, i := range calls {
		if begins := float64(n) - c.earliest(i, stalls)*perMicrosecond; first < 0 || begins < lowest {
			lowest, first = begins, n
		}
		at := float64(c.h[i].Begin)
		if got := float64(n+1) - at*perMicrosecond - lowest; got > allowed+1e-6 {
			c.report(RulePace, fmt.Sprintf("%s got %d calls in %.3f s, at a rate of %g/s", g.Gateway, n-first+1, (at-float64(c.h[calls[first]].Begin))/1e6, g.Rate), calls[first], i)
			return
		}
	}
}

// earliest returns the earliest possible time of a call.
func (c *checker) earliest(call int, stalls []int) float64 {
	at := c.h[call].Begin
	for _, i := range stalls {
		if s := &c.h[i]; s.Begin <= at && at <= s.End {
			at = s.Begin
		}
	}
	return float64(at)
}
