package httpx

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"example.com/griot/internal/idn"
)

// Own is a service's public origin.
type Own struct {
	URL    string // in the format of Origin
	Secure bool   // https

	host string // without its port
	port string
}

// ErrHost is the error of [ParseOwn] for a host that is invalid in DNS.
var ErrHost = errors.New("the host of the public address isn't a valid domain name")

// ParseOwn parses an http or https address without a path. Its host is in the format of [idn.Host].
func ParseOwn(s string) (Own, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return Own{}, errors.New("the public address must be http(s)://host[:port], without a path")
	}
	host, ok := idn.Host(u.Hostname())
	if !ok {
		return Own{}, ErrHost
	}
	o := Own{host: host, port: u.Port(), Secure: u.Scheme == "https"}
	if o.port == map[bool]string{false: "80", true: "443"}[o.Secure] {
		o.port = "" // browsers omit it
	}
	o.URL = u.Scheme + "://" + o.host
	if strings.Contains(o.host, ":") {
		o.URL = u.Scheme + "://[" + o.host + "]"
	}
	if o.port != "" {
		o.URL += ":" + o.port
	}
	return o, nil
}

// Host returns the origin's name or address, without its port.
func (o Own) Host() string { return o.host }

// Address returns the origin's network address: its host with its port.
func (o Own) Address() string {
	port := o.port
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[o.Secure]
	}
	return net.JoinHostPort(o.host, port)
}

// RedirectPage redirects a browser that opened a page with another name of this machine (localhost for 127.0.0.1) to
// the service's own name, because cookies and Origin belong to a name. It ignores names of other machines, because a
// proxy might rewrite them. It reports whether it redirects. secure sets the headers of a redirect.
func (o Own) RedirectPage(w http.ResponseWriter, r *http.Request, isPage func(path string) bool, secure func(h http.Header, path string)) bool {
	if r.Method != http.MethodGet || !o.isOtherLoopbackName(r.Host) || !isPage(r.URL.Path) {
		return false
	}
	// The query in the URL is private.
	setNoStore(w.Header())
	secure(w.Header(), r.URL.Path)
	http.Redirect(w, r, o.URL+r.URL.RequestURI(), http.StatusSeeOther) //nolint:gosec // to the own origin only
	return true
}

// isOtherLoopbackName reports whether the host is a name of this machine other than the service's own, at the same
// port.
func (o Own) isOtherLoopbackName(hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.Trim(hostport, "[]"), ""
	}
	host = strings.ToLower(host)
	return host != o.host && port == o.port && loopback(host) && loopback(o.host)
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// IsLoopback reports whether a host is this machine, by any of its addresses.
func IsLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Loopback reports whether the origin can only be reached from this machine.
func (o Own) Loopback() bool { return IsLoopback(o.host) }

// Strict adds Strict-Transport-Security, for a year, if the service's own address is https. A proxy that terminates TLS
// in front of Griot might not add it.
func (o Own) Strict(next http.Handler) http.Handler {
	if !o.Secure {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}
