package virtual

import (
	"sync/atomic"

	"griot/gateway"
)

// outcome is what became of an attempt; some can be ordered as a fault.
type outcome string

const (
	none        outcome = "none"
	delivered   outcome = "delivered"
	duplicate   outcome = "duplicate"
	offline     outcome = "offline" // taken, and kept for a phone that is offline
	temporary   outcome = "temporary"
	permanent   outcome = "permanent"
	unreachable outcome = "unreachable"
	timeout     outcome = "timeout"
	lostAck     outcome = "lost_ack"
)

// fault reports whether sends can be told to end like this ("none" ends the others).
func (o outcome) fault() bool {
	switch o {
	case none, temporary, permanent, unreachable, timeout, lostAck:
		return true
	case delivered, duplicate, offline:
	}
	return false
}

// faults holds, for each channel, what its next sends are to suffer.
type faults map[gateway.Channel]*atomic.Pointer[fault]

type fault struct {
	outcome outcome
	left    atomic.Int64
}

func newFaults() faults {
	return faults{gateway.WhatsApp: {}, gateway.SMS: {}, gateway.Email: {}}
}

// set orders the next count sends on a channel to end in o.
func (f faults) set(c gateway.Channel, o outcome, count int64) {
	if o == none || count == 0 {
		f[c].Store(nil)
		return
	}
	next := &fault{outcome: o}
	next.left.Store(count)
	f[c].Store(next)
}

// get tells what is ordered, and for how many sends.
func (f faults) get(c gateway.Channel) (outcome, int64) {
	if now := f[c].Load(); now != nil {
		if left := now.left.Load(); left > 0 {
			return now.outcome, left
		}
	}
	return none, 0
}

// take returns what one send suffers: exactly as many as were ordered get something else than none.
func (f faults) take(c gateway.Channel) outcome {
	now := f[c].Load()
	if now == nil {
		return none
	}
	left := now.left.Add(-1)
	if left <= 0 {
		f[c].CompareAndSwap(now, nil)
	}
	if left < 0 {
		return none
	}
	return now.outcome
}
