package virtual

import (
	"sync/atomic"

	"example.com/griot/gateway"
)

// outcome is the outcome of an attempt. Some can be set as a fault.
type outcome string

const (
	none        outcome = "none"
	delivered   outcome = "delivered"
	duplicate   outcome = "duplicate"
	offline     outcome = "offline" // accepted, and kept until the phone is online
	temporary   outcome = "temporary"
	permanent   outcome = "permanent"
	unreachable outcome = "unreachable"
	timeout     outcome = "timeout"
	lostAck     outcome = "lost_ack"
)

// isFault reports whether o can be set as a fault; "none" clears one.
func (o outcome) isFault() bool {
	switch o {
	case none, temporary, permanent, unreachable, timeout, lostAck:
		return true
	case delivered, duplicate, offline:
	}
	return false
}

// faults contains the fault of each channel's next sends.
type faults map[gateway.Channel]*atomic.Pointer[fault]

type fault struct {
	outcome   outcome
	remaining atomic.Int64
}

func newFaults() faults {
	return faults{gateway.WhatsApp: {}, gateway.SMS: {}, gateway.Email: {}}
}

// set makes the next count sends on a channel have the outcome o.
func (f faults) set(c gateway.Channel, o outcome, count int64) {
	if o == none || count == 0 {
		f[c].Store(nil)
		return
	}
	wanted := &fault{outcome: o}
	wanted.remaining.Store(count)
	f[c].Store(wanted)
}

// get returns a channel's fault, and the number of sends for which it remains.
func (f faults) get(c gateway.Channel) (outcome, int64) {
	if current := f[c].Load(); current != nil {
		if remaining := current.remaining.Load(); remaining > 0 {
			return current.outcome, remaining
		}
	}
	return none, 0
}

// next returns the fault of one send and counts it. Exactly the set number of sends get one.
func (f faults) next(c gateway.Channel) outcome {
	current := f[c].Load()
	if current == nil {
		return none
	}
	remaining := current.remaining.Add(-1)
	if remaining <= 0 {
		f[c].CompareAndSwap(current, nil)
	}
	if remaining < 0 {
		return none
	}
	return current.outcome
}
