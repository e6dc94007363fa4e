package limit

import "net/netip"

// siteBits is the number of bits of an IPv6 address that a provider assigns. Its customer chooses the others freely.
const siteBits = 64

// Address returns the counter key of an address: the whole address for IPv4, and its /64 for IPv6.
func Address(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return a.String()
	}
	site, _ := a.Prefix(siteBits) // an address of 128 bits always has a prefix of 64
	return site.String()
}
