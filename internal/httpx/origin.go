package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"example.com/griot/internal/apierror"
)

// SameOrigin reports whether a browser sent the request from a page of origin: Origin
// is present and equal, and Sec-Fetch-Site, if present, doesn't contradict it.
func SameOrigin(r *http.Request, origin string) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return false
	}
	return r.Header.Get("Origin") == origin
}

// RequireOrigin refuses requests that are not [SameOrigin]: those from other sites' pages, and those without an Origin.
func (a *API) RequireOrigin(origin string, refusal *apierror.Kind, next http.Handler) http.Handler {
	return a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if !SameOrigin(r, origin) {
			return refusal.Err()
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// ForeignOrigin reports whether a browser sent the request from another site. Calls
// between servers, which have no Origin, are not foreign.
func ForeignOrigin(r *http.Request, origin string) bool {
	o := r.Header.Get("Origin")
	return o != "" && o != origin
}

// ClientIP returns the address of the peer, or of the client behind trusted proxies ([BehindProxies]).
func ClientIP(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap()
}

// DirectLoopback reports whether the request comes from this machine itself: it has a
// loopback peer and no header of a proxy. Behind a proxy on this machine, every peer
// looks like loopback.
func DirectLoopback(r *http.Request) bool {
	if !ClientIP(r).IsLoopback() {
		return false
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded") || proxyHeader(name) {
			return false
		}
	}
	return true
}

// proxyHeader reports whether proxies add a header with this canonical name (L121 has the list).
func proxyHeader(name string) bool {
	switch name {
	case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip", "X-Envoy-External-Address", "Cdn-Loop":
		return true
	}
	return false
}
