package httpx

import "net/netip"

// Network returns the stored part of a client's address: its /24 or /48; "" for none.
func Network(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	bits := 24
	if a.Is6() {
		bits = 48
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}
