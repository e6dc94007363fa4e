package gateway

import (
	"net/http"
	"net/netip"
	"sync"
)

// Large bodies are read a few at a time, because the sender is known only when the signature can be checked.
const (
	largeBody     = 1 << 20
	largeBodies   = 8
	strangeBodies = largeBodies / 2 // of all addresses that have not signed a request; of each of them one
	maxSigned     = 64              // addresses
	siteBits      = 64              // of an IPv6 address; a provider's customer chooses the others freely
)

// slots are the places of large bodies.
type slots struct {
	mu        sync.Mutex
	taken     int
	strangers map[string]bool // addresses without a valid signature that have a slot
	signed    map[string]bool // addresses of requests with a valid signature
}

func newSlots() *slots { return &slots{strangers: map[string]bool{}, signed: map[string]bool{}} }

// take takes a slot for a body of an address; without one, ok is false.
func (s *slots) take(address string) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stranger := !s.signed[address]
	if s.taken == largeBodies || stranger && (len(s.strangers) == strangeBodies || s.strangers[address]) {
		return nil, false
	}
	s.taken++
	if stranger {
		s.strangers[address] = true
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken--
		if stranger {
			delete(s.strangers, address)
		}
	}, true
}

// sign notes that a request of an address had a valid signature.
func (s *slots) sign(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signed[address] {
		return
	}
	for old := range s.signed { // any other may sign again
		if len(s.signed) < maxSigned {
			break
		}
		delete(s.signed, old)
	}
	s.signed[address] = true
}

// addressOf returns the key by which a request's address is counted: whole in IPv4, its /64 in IPv6.
func addressOf(r *http.Request) string {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	ip := a.Addr().Unmap().WithZone("")
	if !ip.Is6() {
		return ip.String()
	}
	site, _ := ip.Prefix(siteBits) // an address of 128 bits has one of 64
	return site.String()
}
