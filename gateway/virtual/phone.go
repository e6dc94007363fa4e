package virtual

import (
	"sync"

	"example.com/griot/gateway"
)

// phoneState is a phone's state; the zero value is online and not blocking.
type phoneState struct{ offline, blocked bool }

// refuses reports whether messages on the channel cannot be delivered. A phone that blocks us still gets SMS.
func (s phoneState) refuses(c gateway.Channel) bool { return s.blocked && c != gateway.SMS }

// phones contains the states that are not zero.
type phones struct {
	mu     sync.RWMutex
	states map[string]phoneState
}

func (p *phones) state(address string) phoneState {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.states[address]
}

// maxPhones is the maximum number of phones that are offline or blocked.
const maxPhones = 10_000

// set changes those parts of a phone's state whose pointer is not nil. ok is false if there are too many phones.
func (p *phones) set(address string, online, blocked *bool) (s phoneState, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, known := p.states[address]
	if !known && len(p.states) >= maxPhones {
		return s, false
	}
	if online != nil {
		s.offline = !*online
	}
	if blocked != nil {
		s.blocked = *blocked
	}
	if s == (phoneState{}) {
		delete(p.states, address)
	} else {
		p.states[address] = s
	}
	return s, true
}
