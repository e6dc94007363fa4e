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

// mostPhones is how many phones may be other than online.
const mostPhones = 10_000

// change sets what is given; ok is false when there are too many phones.
func (p *phones) change(address string, online, blocked *bool) (s phoneState, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, known := p.states[address]
	if !known && len(p.states) >= mostPhones {
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
