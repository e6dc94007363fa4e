package delivery

import (
	"time"

	"griot/gateway"
	"griot/messaging/outbox"
)

const (
	breakerWindow = time.Minute
	breakerLeast  = 10  // attempts in the window before they say anything
	breakerBad    = 0.7 // of them
	breakerFirst  = 10 * time.Second
	breakerMost   = 5 * time.Minute
)

// breaker keeps messages from a sender whose attempts fail because of the sender:
// it is down, or nobody knows what becomes of them. A refused message says nothing
// against its sender. After a while one message tries; if it fails, the while doubles.
// The zero value is closed.
type breaker struct {
	since      time.Time // when the window began
	total, bad int
	until      time.Time     // open until then; then one message probes
	lasts      time.Duration // how long it was open; 0: it is closed
	probing    bool
}

func (b *breaker) open(now time.Time) bool { return b.rest(now) > 0 || b.probing }

// rest is how long it stays open: never longer than it lasts, also when the clock goes back.
func (b *breaker) rest(now time.Time) time.Duration {
	if b.until.Sub(now) > b.lasts {
		b.until = now.Add(b.lasts)
	}
	return b.until.Sub(now)
}

// hold returns how long a message must wait; 0 lets it go, as the probe if the breaker was open.
func (b *breaker) hold(now time.Time) (wait time.Duration, probe bool) {
	switch rest := b.rest(now); {
	case rest > 0:
		return rest, false
	case b.probing:
		return probeWait, false
	case b.lasts > 0:
		b.probing = true
	}
	return 0, b.probing
}

// restore sets the breaker as the node before left it.
func (b *breaker) restore(p outbox.Pause) { b.lasts, b.until = p.Lasts, p.Until }

// note counts an attempt. It reports whether the breaker's pause is another now.
func (b *breaker) note(now time.Time, class gateway.Class) (changed bool) {
	failed := class == gateway.SenderDown || class == gateway.Unknown
	if b.probing {
		if !failed {
			*b = breaker{}
			return true
		}
		b.probing, b.lasts = false, min(2*b.lasts, breakerMost)
		b.until = now.Add(b.lasts)
		return true
	}
	if now.Sub(b.since) > breakerWindow || now.Before(b.since) {
		b.since, b.total, b.bad = now, 0, 0
	}
	b.total++
	if failed {
		b.bad++
	}
	if b.total >= breakerLeast && float64(b.bad) >= breakerBad*float64(b.total) && b.lasts == 0 {
		b.lasts, b.until = breakerFirst, now.Add(breakerFirst)
		return true
	}
	return false
}
