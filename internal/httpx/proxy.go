package httpx

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// BehindProxies gives requests that come through trusted proxies the address of their client: the last one in
// X-Forwarded-For that is not a proxy's. The header of other peers is ignored; untrusted, if not nil, is called with the
// address of such a peer.
func BehindProxies(proxies []netip.Prefix, untrusted func(peer netip.Addr), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["X-Forwarded-For"] == nil {
			next.ServeHTTP(w, r)
			return
		}
		if peer := ClientIP(r); untrusted != nil && !Within(proxies, peer) {
			untrusted(peer)
		}
		if from := ForwardedClient(r, proxies); from != ClientIP(r) {
			r.RemoteAddr = netip.AddrPortFrom(from, 0).String()
		}
		next.ServeHTTP(w, r)
	})
}

// ForwardedClient returns the address of a request's client: it follows X-Forwarded-For back from the peer, for as long as the
// addresses are those of trusted proxies.
func ForwardedClient(r *http.Request, proxies []netip.Prefix) netip.Addr {
	from := ClientIP(r)
	before := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for len(before) > 0 && Within(proxies, from) {
		last := strings.TrimSpace(before[len(before)-1])
		before = before[:len(before)-1]
		at, err := netip.ParseAddr(last)
		if err != nil {
			port, err := netip.ParseAddrPort(last)
			if err != nil {
				break
			}
			at = port.Addr()
		}
		from = at.Unmap().WithZone("")
	}
	return from
}

// Within reports whether an address is in one of the networks.
func Within(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}
