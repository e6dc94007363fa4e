package gateway

import (
	"slices"
	"time"
)

// ClockAhead returns how far the open gateways' clocks are ahead of ours: the median, since one of them may be off itself.
// False: none of them has said what time it is.
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
