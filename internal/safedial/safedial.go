package safedial

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// ErrRefused is in the chain of errors of addresses that are not dialed.
var ErrRefused = errors.New("safedial: the address is refused")

// Options say what may be reached beside public addresses by https.
type Options struct {
	Private  bool // the operator's own networks (RFC 1918, RFC 4193, RFC 6598); neither this machine nor its cloud's metadata
	Loopback bool // this machine, and http to it: for development

	Allow []string // origins, as [CheckOrigin] takes them, that are reached by http and on this machine or in the operator's networks too
	Own   []string // addresses on which this process listens: no origin leads there

	Redirects int // how many redirects are followed, each to an address that [Options.CheckLink] takes; zero: none

	Idle     int            // idle connections a host; zero: 2
	Connect  time.Duration  // how long dialing may take, and the handshake; zero: 5 seconds
	Roots    *x509.CertPool // nil: the system's
	Resolver *net.Resolver  // nil: the system's
}

const (
	dialTimeout = 5 * time.Second
	idleTimeout = 30 * time.Second
	maxIdle     = 512
	maxHead     = 16 << 10
	maxAddress  = 2048
)

// Client returns a client. It has no time limit: each request has its context's.
func Client(o Options) *http.Client {
	t := &transport{https: o.transport(ofAddress(o.guard())), allows: o.allows}
	if o.Loopback {
		t.http = o.transport(ofAddress(loopbackOnly))
	}
	if len(o.Allow) > 0 {
		t.allowed = o.transport(o.guardOrigins())
	}
	return &http.Client{Transport: t, CheckRedirect: o.checkRedirect}
}

// checkRedirect reports whether the next of a request's redirects is followed. The one that is too many is the response. Nothing of
// the addresses before is sent on: they may have secrets.
func (o Options) checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > o.Redirects {
		return http.ErrUseLastResponse
	}
	if err := o.CheckLink(next.URL.String()); err != nil {
		return fmt.Errorf("%w: where it redirects to: %w", ErrRefused, err)
	}
	for _, name := range []string{"Referer", "Authorization", "Cookie"} {
		next.Header.Del(name)
	}
	return nil
}

// Check reports what is wrong with an address, as far as that can be seen without looking it up. Its errors can be shown
// to the customer who gave it.
func (o Options) Check(address string) error {
	u, err := url.Parse(address)
	host, ok := "", false
	if err == nil {
		host, ok = hostOf(u)
	}
	switch {
	case err != nil || len(address) > maxAddress || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("it must be an absolute address of at most 2,048 characters")
	case u.User != nil || u.Fragment != "":
		return errors.New("it must have neither a user name nor a fragment")
	case !ok:
		return errNoDomain
	case o.allows(u):
		return nil
	case u.Scheme == "http" && o.Loopback && isLoopbackName(host):
		return nil
	case u.Scheme != "https":
		return errors.New("it must begin with https://")
	}
	if ip, err := netip.ParseAddr(host); err == nil && o.guard()(ip) != nil {
		return errors.New("it must not lead into a private network")
	}
	return nil
}

// CheckLink is [Options.Check] for the address of a file that is to be fetched once, perhaps by a gateway that resolves names
// itself: its port is that of https or none of a service's (1024 and above), and its host can't be read as an address in
// another spelling. A host without a dot is a name of somebody's own network. A fragment is nothing to it.
func (o Options) CheckLink(address string) error {
	o.Allow = nil
	address, _, _ = strings.Cut(address, "#")
	if err := o.Check(address); err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("it must be an absolute address")
	}
	host, _ := hostOf(u)
	host = strings.TrimSuffix(host, ".")
	if o.Loopback && isLoopbackName(host) {
		return nil
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n != 443 && n < 1024 {
			return errors.New("its port must be 443, or 1024 to 65535")
		}
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if o.guard()(ip) != nil { // with a dot behind it, it was a name before
			return errors.New("it must not lead into a private network")
		}
		return nil
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	switch {
	case isNumber(last):
		return errors.New("its host must be a name, or an IP address as it is usually written")
	case last == "localhost", len(labels) == 1 && !o.Private:
		return errors.New("it must not lead into a private network")
	}
	return nil
}

// isNumber reports whether the last part of a host makes some programs read the whole as an IPv4 address.
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func isLoopbackName(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// transport sends by https, and by http where that is allowed. Connections to allowed origins are used for nothing else.
type transport struct {
	https, http, allowed *http.Transport // the last two may be nil
	allows               func(*url.URL) bool
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case t.allowed != nil && t.allows(r.URL):
		return t.allowed.RoundTrip(r)
	case r.URL.Scheme == "https":
		return t.https.RoundTrip(r)
	case r.URL.Scheme == "http" && t.http != nil:
		return t.http.RoundTrip(r)
	}
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, fmt.Errorf("%w: its scheme is not https", ErrRefused)
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (t *transport) CloseIdleConnections() {
	for _, one := range []*http.Transport{t.https, t.http, t.allowed} {
		if one != nil {
			one.CloseIdleConnections()
		}
	}
}

func (o Options) transport(check func(netip.AddrPort) error) *http.Transport {
	d := &net.Dialer{
		Timeout: cmp.Or(o.Connect, dialTimeout), Resolver: o.Resolver,
		Control: func(network, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || network != "tcp4" && network != "tcp6" {
				return fmt.Errorf("%w: it is none of TCP", ErrRefused)
			}
			return check(to)
		},
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true) // a head and a body at a time: nothing is buffered ahead
	return &http.Transport{
		Proxy: nil, DialContext: d.DialContext, Protocols: protocols,
		TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    cmp.Or(o.Connect, dialTimeout),
		DisableCompression:     true, // a small answer must not unfold into a large one
		MaxResponseHeaderBytes: maxHead,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    o.Idle,
		IdleConnTimeout:        idleTimeout,
	}
}

// metadata returns the addresses at which clouds serve their machines' secrets, and which an allowed or a public range
// would let through.
func metadata() []netip.Addr {
	return []netip.Addr{
		netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"),
		netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("168.63.129.16"),
	}
}

// guard returns the check of the IP address of a connection by https.
func (o Options) guard() func(netip.Addr) error {
	options := []ssrf.Option{ssrf.WithAnyPort()}
	if o.Private {
		options = append(options, ssrf.WithAllowedV4Prefixes(
			netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"),
		), ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("fc00::/7")))
	}
	g := ssrf.New(options...)
	secret := metadata()
	return func(ip netip.Addr) error {
		if o.Loopback && ip.Unmap().IsLoopback() {
			return nil
		}
		for _, m := range secret {
			if ip.Unmap().WithZone("") == m {
				return fmt.Errorf("%w: it is a cloud's own", ErrRefused)
			}
		}
		if g.SafeAddr(ip) != nil { // its error names the address, which may be the customer's
			return fmt.Errorf("%w: it is not public", ErrRefused)
		}
		return nil
	}
}

// ofAddress is a check of connections that ports do not matter to.
func ofAddress(check func(netip.Addr) error) func(netip.AddrPort) error {
	return func(to netip.AddrPort) error { return check(to.Addr()) }
}

func loopbackOnly(ip netip.Addr) error {
	if !ip.Unmap().IsLoopback() {
		return fmt.Errorf("%w: http is for this machine", ErrRefused)
	}
	return nil
}
