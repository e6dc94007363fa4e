package safedial

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/internal/idn"
)

// errNoDomain is the error for a host with characters that are invalid in a domain.
var errNoDomain = errors.New("its host must be a valid domain name")

// CheckOrigin returns an error for an invalid origin in [Options].Allow. An origin is a scheme, a host, and optionally
// a port, such as http://app:3000. It refuses known origins of cloud metadata and of this process's listeners.
// Addresses to which the host resolves are checked when it is dialed.
func (o Options) CheckOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Path+u.RawQuery+u.Fragment != "" || u.ForceQuery {
		return errors.New("must be origins such as http://127.0.0.1:3000 and http://app:3000, without anything behind them")
	}
	host, ok := hostOf(u)
	if !ok {
		return errNoDomain
	}
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil {
		return errors.New("has a port that is none")
	}
	var known []netip.Addr // a name's addresses are looked up when it is dialed
	if ip, err := netip.ParseAddr(host); err == nil {
		known = append(known, ip)
	} else if host == "localhost" {
		known = append(known, netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback())
	}
	for _, ip := range known {
		to := netip.AddrPortFrom(ip, uint16(port))
		if o.isOwn(to) {
			return errors.New("leads to a listener of Griot itself")
		}
		if o.guardOrigins()(to) != nil {
			return errors.New("leads to an address that no webhook may reach")
		}
	}
	return nil
}

// hostOf returns the host of a URL as it is dialed: in lowercase A-labels, without its port.
func hostOf(u *url.URL) (string, bool) { return idn.ASCII(u.Hostname()) }

// origin returns the scheme, the host, and the port of a URL, without the default port of its scheme.
func origin(u *url.URL) string {
	host, _ := hostOf(u)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := portOf(u); port != defaultPort(u) {
		host += ":" + port
	}
	return u.Scheme + "://" + host
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return defaultPort(u)
}

func defaultPort(u *url.URL) string {
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// allows reports whether a URL is of an allowed origin.
func (o Options) allows(u *url.URL) bool {
	return slices.ContainsFunc(o.Allow, func(s string) bool {
		allowed, err := url.Parse(s)
		return err == nil && origin(allowed) == origin(u)
	})
}

// guardOrigins returns the check of a connection to an allowed origin. It permits this machine and the operator's
// networks, but neither cloud metadata nor this process itself.
func (o Options) guardOrigins() func(netip.AddrPort) error {
	near := Options{Private: true, Loopback: true}.guard()
	return func(to netip.AddrPort) error {
		if o.isOwn(to) {
			return fmt.Errorf("%w: it is a listener of Griot's", ErrRefused)
		}
		return near(to.Addr())
	}
}

// isOwn reports whether an address is one on which this process listens.
func (o Options) isOwn(to netip.AddrPort) bool {
	ip := to.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(o.Own, func(listen string) bool {
		host, port, err := net.SplitHostPort(listen)
		if err != nil || port != strconv.Itoa(int(to.Port())) {
			return false
		}
		if own, err := netip.ParseAddr(host); err == nil && !own.IsUnspecified() {
			return own.Unmap().WithZone("") == ip
		}
		return isThisMachine(ip) // it listens on all addresses, or on those of a name
	})
}

// isThisMachine reports whether an address is one of this machine's. If they can't be listed, it returns true.
func isThisMachine(ip netip.Addr) bool {
	if ip.IsLoopback() {
		return true
	}
	all, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(all, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap().WithZone("") == ip
	})
}
