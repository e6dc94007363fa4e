package breaker

import "time"

const slots = 6 // of a window; the oldest attempts are dropped one slot at a time

// window counts the latest attempts by slots of time.
type window [slots]slot

type slot struct {
	number             int64 // of the time since 1970, in slots
	attempts, failures int
}

func slotNumber(length time.Duration, now time.Time) int64 {
	return now.UnixNano() / int64(length/slots)
}

func (w window) add(length time.Duration, now time.Time, failed bool) window {
	n := slotNumber(length, now)
	s := &w[n%slots]
	if s.number != n {
		*s = slot{number: n}
	}
	s.attempts++
	if failed {
		s.failures++
	}
	return w
}

func (w window) counts(length time.Duration, now time.Time) (attempts, failures int) {
	n := slotNumber(length, now)
	for _, s := range w {
		if s.number > n-slots && s.number <= n {
			attempts, failures = attempts+s.attempts, failures+s.failures
		}
	}
	return attempts, failures
}
