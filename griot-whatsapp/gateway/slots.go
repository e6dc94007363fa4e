package gateway

import (
	"net/http"
	"net/netip"
	"sync"
)

// Large bodies are read only a few at a time, because the sender is verified only after the whole body was read.
const (
	largeBody     = 1 << 20
	largeBodies   = 8
	strangeBodies = largeBodies / 2 // for all addresses that have not signed a request; one for each of them
	maxSigned     = 64              // in addresses
	siteBits      = 64              // of an IPv6 address; a customer can choose the remaining bits freely
)

// slots limits the number of large bodies that are read at the same time.
type slots struct {
	mu        sync.Mutex
	taken     int
	strangers map[string]bool // addresses without a valid signature that use a slot
	signed    map[string]bool // addresses of requests with a valid signature
}

func newSlots() *slots { return &slots{strangers: map[string]bool{}, signed: map[string]bool{}} }

// take takes a slot for a body from an address. If no slot is free, ok is false.
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

// sign records that a request from an address had a valid signature.
func (s *slots) sign(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signed[address] {
		return
	}
	for old := range s.signed { // any address can sign again
		if len(s.signed) < maxSigned {
			break
		}
		delete(s.signed, old)
	}
	s.signed[address] = true
}

// addressOf returns the key by which requests are counted: the IPv4 address, or the /64 prefix of an IPv6 address.
func addressOf(r *http.Request) string {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	ip := a.Addr().Unmap().WithZone("")
	if !ip.Is6() {
		return ip.String()
	}
	site, _ := ip.Prefix(siteBits) // an address of 128 bits always has such a prefix
	return site.String()
}
