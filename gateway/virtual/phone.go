package virtual

import (
	"sync"

	"griot/gateway"
)

// phoneState is what somebody did to a phone.
type phoneState struct{ offline, blocked bool }

// refuses reports whether messages on the channel don't get through: a number that blocks us on WhatsApp, or isn't
// there at all, still gets SMS.
func (s phoneState) refuses(c gateway.Channel) bool { return s.blocked && c != gateway.SMS }

// phones holds the phones that are not simply online.
type phones struct {
	mu     sync.RWMutex
	states map[string]phoneState
}

func (p *phones) state(address string) phoneState {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.states[address]
}

// change sets what is given.
func (p *phones) change(address string, online, blocked *bool) phoneState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.states[address]
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
	return s
}
