package httpx

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ForwardedProblem is the reason that X-Forwarded-For, or a part of it, is ignored.
type ForwardedProblem int

// The problems of X-Forwarded-For.
const (
	ForwardedUntrusted  ForwardedProblem = iota + 1 // its sender is no trusted proxy
	ForwardedUnreadable                             // a trusted proxy has written something other than an address
)

// BehindProxies sets the client address of requests through trusted proxies: the last address in X-Forwarded-For that
// is not a proxy's. It ignores the header of other peers. warn, if not nil, is called with each problem, and with the
// peer that sent the header.
func BehindProxies(proxies []netip.Prefix, warn func(p ForwardedProblem, peer netip.Addr), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["X-Forwarded-For"] == nil {
			next.ServeHTTP(w, r)
			return
		}
		peer := ClientIP(r)
		from, problem := ForwardedClient(r, proxies)
		if problem != 0 && warn != nil {
			warn(problem, peer)
		}
		if from != peer {
			r.RemoteAddr = netip.AddrPortFrom(from, 0).String()
		}
		next.ServeHTTP(w, r)
	})
}

// ForwardedClient returns the address of a request's client: it follows X-Forwarded-For backward from the peer, while
// the addresses are those of trusted proxies. It stops at an entry that is not an address.
func ForwardedClient(r *http.Request, proxies []netip.Prefix) (from netip.Addr, problem ForwardedProblem) {
	from = ClientIP(r)
	before := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if !Within(proxies, from) {
		return from, ForwardedUntrusted
	}
	for len(before) > 0 && Within(proxies, from) {
		last := strings.TrimSpace(before[len(before)-1])
		before = before[:len(before)-1]
		if last == "" { // a list can have empty elements (RFC 9110 §5.6.1)
			continue
		}
		at, ok := forwardedAddress(last)
		if !ok {
			return from, ForwardedUnreadable
		}
		from = at
	}
	return from, 0
}

// forwardedAddress parses an address with or without a port, and with or without the brackets of IPv6.
func forwardedAddress(s string) (netip.Addr, bool) {
	if inside, ok := strings.CutPrefix(s, "["); ok {
		inside, port, ok := strings.Cut(inside, "]")
		a, err := netip.ParseAddr(inside)
		if !ok || err != nil || !a.Is6() || port != "" && !isPort(port) {
			return a, false
		}
		return a.Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		host, port, _ := strings.Cut(s, ":")
		if a, err = netip.ParseAddr(host); err != nil || !isPort(":"+port) {
			return a, false
		}
	}
	return a.Unmap().WithZone(""), true
}

// isPort reports whether s is a colon and a port.
func isPort(s string) bool {
	port, ok := strings.CutPrefix(s, ":")
	return ok && port != "" && len(port) <= 5 && strings.Trim(port, "0123456789") == ""
}

// Within reports whether an address is in one of the networks.
func Within(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}
