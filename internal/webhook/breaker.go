package webhook

import "time"

const (
	windowSlot  = 10 * time.Second
	windowSlots = 6 // a minute
	minTries    = 10
	openAt      = 0.7 // of the window's tries have failed
)

// Breaker spares an endpoint that is down: when 70 % of at least ten tries of a
// minute have failed it opens for a pause, then lets one try through, and opens
// for twice as long when that one fails. It is not safe for concurrent use.
type Breaker struct {
	Timing *Timing

	pause  time.Duration // 0: closed
	until  time.Time
	window [windowSlots]struct {
		slot       int64
		ok, failed int
	}
}

// Restore sets the breaker as [Breaker.State] told it.
func (b *Breaker) Restore(pause time.Duration, until time.Time) { b.pause, b.until = pause, until }

// State is how long the breaker's pause is (zero: it is closed) and when it ends.
func (b *Breaker) State() (pause time.Duration, until time.Time) { return b.pause, b.until }

// Open reports whether nothing may be tried at now.
func (b *Breaker) Open(now time.Time) bool { return b.pause > 0 && now.Before(b.until) }

// Probing reports whether one try may be made, which decides.
func (b *Breaker) Probing(now time.Time) bool { return b.pause > 0 && !now.Before(b.until) }

// Succeeded counts a success and closes the breaker; closed reports whether it was open.
func (b *Breaker) Succeeded(now time.Time) (closed bool) {
	closed = b.pause > 0
	if closed {
		b.pause, b.until = 0, time.Time{}
		clear(b.window[:])
	}
	b.at(now).ok++
	return closed
}

// Failed counts a failure; opened reports whether it opened the breaker.
func (b *Breaker) Failed(now time.Time) (opened bool) {
	if b.Open(now) { // a try that began before it opened
		return false
	}
	if b.pause > 0 {
		b.hold(now, min(2*b.pause, b.Timing.PauseMost))
		return true
	}
	b.at(now).failed++
	ok, failed := 0, 0
	for _, s := range b.window {
		if s.slot > now.Unix()/int64(windowSlot.Seconds())-windowSlots {
			ok, failed = ok+s.ok, failed+s.failed
		}
	}
	if ok+failed < minTries || float64(failed) < openAt*float64(ok+failed) {
		return false
	}
	b.hold(now, b.Timing.Pause)
	return true
}

// Hold opens the breaker until the endpoint asked to be tried again, within its most.
func (b *Breaker) Hold(now time.Time, asked time.Duration) {
	if asked = min(asked, b.Timing.PauseMost); b.until.Before(now.Add(asked)) {
		b.until, b.pause = now.Add(asked), max(b.pause, b.Timing.Pause)
	}
}

func (b *Breaker) hold(now time.Time, pause time.Duration) {
	b.pause, b.until = pause, now.Add(pause)
	clear(b.window[:])
}

func (b *Breaker) at(now time.Time) *struct {
	slot       int64
	ok, failed int
} {
	slot := now.Unix() / int64(windowSlot.Seconds())
	s := &b.window[slot%windowSlots]
	if s.slot != slot {
		s.slot, s.ok, s.failed = slot, 0, 0
	}
	return s
}
