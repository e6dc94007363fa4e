package gateway

import (
	"slices"
	"time"
)

// ClockAhead returns the difference between the open gateways' clocks and ours, positive if theirs are ahead. It is
// the median, because one of the clocks might be wrong. It returns false if no gateway has reported its time.
func (s *Set) ClockAhead() (ahead time.Duration, known bool) {
	var all []time.Duration
	for _, g := range *s.open.Load() {
		if c, ok := g.Sender.(ClockReader); ok {
			if ahead, known := c.ClockAhead(); known {
				all = append(all, ahead)
			}
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	return all[(len(all)-1)/2], true
}
