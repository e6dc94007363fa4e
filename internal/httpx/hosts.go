package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// OnlyHosts serves requests whose Host is an address, localhost, or one of the names. For other requests, it responds
// with 421 and a reason. Another site can point its own name to this machine (DNS rebinding), and its pages would then
// have the same origin. However, their requests have that name as Host.
func OnlyHosts(names []string, reason string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isHost(Host(r), names) {
			setNoStore(w.Header())
			http.Error(w, reason, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Host returns the host of a request, without its port and without the brackets of IPv6.
func Host(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(r.Host, "["), "]")
	}
	return host
}

func isHost(host string, names []string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	same := func(name string) bool { return strings.EqualFold(name, strings.TrimSuffix(host, ".")) }
	return same("localhost") || slices.ContainsFunc(names, same)
}

var hostName = regexp.MustCompile(`\A[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\z`)

// IsHostName reports whether a text is a name in the format of a Host header.
func IsHostName(s string) bool {
	const most = 253
	return len(s) <= most && hostName.MatchString(s)
}
