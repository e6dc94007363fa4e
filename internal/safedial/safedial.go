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

// ErrRefused is in the error chain for addresses that are not dialed.
var ErrRefused = errors.New("safedial: the address is refused")

// Options are the allowed targets in addition to public https addresses.
type Options struct {
	Private  bool // the operator's own networks (RFC 1918, RFC 4193, RFC 6598), but neither this machine nor cloud metadata
	Loopback bool // this machine, including http; for development

	Allow []string // origins in the format of [CheckOrigin], which can use http and can be on this machine or in the operator's networks
	Own   []string // addresses on which this process listens; no origin can reach them

	Redirects int // maximum number of redirects, each to an address that [Options.CheckLink] accepts; zero: none

	Idle     int            // idle connections per host; zero: 2
	Connect  time.Duration  // time limit for dialing, and for the handshake; zero: 5 seconds
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

// Client returns a client. It has no time limit of its own: the context of each request applies.
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

// checkRedirect reports whether the next redirect of a request is followed. After too many, the redirect itself is the
// response. No data of the previous URLs is sent, because they might contain secrets.
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

// Check returns an error for an invalid address. It doesn't look up names. Its errors can be shown to the customer who
// entered the address.
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

// CheckLink returns an error for an invalid URL of a file. The file is fetched once, possibly by a gateway that
// resolves names itself. In addition to [Options.Check], the port must be that of https or not a well-known one (1024
// and above), and the host must not be another spelling of an address. A host without a dot is refused as a name in a
// private network. A fragment is ignored.
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
		if o.guard()(ip) != nil { // an address with a trailing dot was a name before
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

// isNumber reports whether some programs would read the whole host as an IPv4 address because of its last part.
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

// transport sends over https, and over http if it is allowed. Connections to allowed origins are not used for other
// targets.
type transport struct {
	https, http, allowed *http.Transport // the last two can be nil
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

// CloseIdleConnections implements [http.Client.CloseIdleConnections].
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
	protocols.SetHTTP1(true) // one header and body at a time, so that nothing is buffered ahead
	return &http.Transport{
		Proxy: nil, DialContext: d.DialContext, Protocols: protocols,
		TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    cmp.Or(o.Connect, dialTimeout),
		DisableCompression:     true, // a small response must not decompress to a large one
		MaxResponseHeaderBytes: maxHead,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    o.Idle,
		IdleConnTimeout:        idleTimeout,
	}
}

// metadata returns the addresses of the metadata services of clouds that an allowed or a public range would include.
func metadata() []netip.Addr {
	return []netip.Addr{
		netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"),
		netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("168.63.129.16"),
	}
}

// guard returns the check of the IP address of an https connection.
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
		if g.SafeAddr(ip) != nil { // its error contains the address, which might be the customer's
			return fmt.Errorf("%w: it is not public", ErrRefused)
		}
		return nil
	}
}

// ofAddress returns a check of connections that ignores their ports.
func ofAddress(check func(netip.Addr) error) func(netip.AddrPort) error {
	return func(to netip.AddrPort) error { return check(to.Addr()) }
}

func loopbackOnly(ip netip.Addr) error {
	if !ip.Unmap().IsLoopback() {
		return fmt.Errorf("%w: http is for this machine", ErrRefused)
	}
	return nil
}
