package limit

import "net/netip"

// siteBits are the bits of an IPv6 address that a provider assigns; its customer chooses the others freely.
const siteBits = 64

// Address is the key by which an address is counted: whole in IPv4, by its /64 in IPv6.
func Address(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return a.String()
	}
	site, _ := a.Prefix(siteBits) // an address of 128 bits has one of 64
	return site.String()
}
