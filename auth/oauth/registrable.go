package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Registrable reports whether a client can register the address. Allowed are https;
// http for this machine and, for TEST clients, for an address of a private network; and
// a private-use scheme for native PUBLIC clients (RFC 8252 §7.1). Never allowed are a
// wildcard host, a port that doesn't exist, a fragment, credentials, or a query with a
// parameter of the response (L159).
func Registrable(uri string, public, test bool) bool {
	if !Printable(uri) {
		return false
	}
	u, err := url.Parse(uri)
	if err != nil || u.User != nil || strings.Contains(uri, "#") || u.Host != "" && !validHost(u) || u.Port() != "" && !validPort(u.Port()) || answersItself(uri) {
		return false
	}
	switch u.Scheme {
	case "https":
		return u.Hostname() != ""
	case "http":
		_, _, ok := splitLoopback("http://", uri)
		return ok || test && private(u)
	default:
		return public && privateUse(u.Scheme)
	}
}

// answersItself reports whether the query has a parameter of the authorization response, which would then occur twice.
// The query is read as leniently as an application might read it: with ; as a separator, and with escaped names.
func answersItself(uri string) bool {
	_, query, _ := strings.Cut(uri, "?")
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if unescaped, err := url.QueryUnescape(name); err == nil {
			name = unescaped
		}
		switch name {
		case "code", "state", "iss", "error":
			return true
		}
	}
	return false
}

// validHost reports whether the host is an IP address or a host name, and not, for example, a wildcard.
func validHost(u *url.URL) bool {
	if _, ok := literal(u); ok {
		return true
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(u.Hostname(), "."), ".") {
		if label == "" || !only(label, "-_") {
			return false
		}
	}
	return true
}

// private reports whether the host is an IP address of a private network: RFC 1918 and
// fc00::/7. Link-local addresses are not private, because browsers support no IPv6
// zones and cloud machines read their credentials from 169.254/16.
func private(u *url.URL) bool {
	a, ok := literal(u)
	return ok && a.IsPrivate() && !a.Is4In6() && !strings.HasSuffix(u.Host, ":")
}

// literal returns the host of u if it is an IP address without a zone.
func literal(u *url.URL) (netip.Addr, bool) {
	a, err := netip.ParseAddr(u.Hostname())
	return a, err == nil && a.Zone() == "" && a.Is6() == strings.HasPrefix(u.Host, "[")
}

// privateUse reports whether a scheme is a reversed domain name, as RFC 8252 §7.1
// requires. It refuses schemes that browsers handle, also with added separators,
// because a lenient parser might drop them.
func privateUse(scheme string) bool {
	labels := strings.Split(scheme, ".")
	if len(labels) < 2 || slices.Contains(labels, "") {
		return false
	}
	return !knownScheme(labels[0]) && !knownScheme(strings.NewReplacer(".", "", "-", "", "+", "").Replace(scheme))
}

// knownScheme reports whether browsers or operating systems handle a scheme.
func knownScheme(s string) bool {
	switch s {
	case "javascript", "vbscript", "livescript", "jscript", "mocha", "data", "blob", "file", "filesystem", "about", "viewsource", "jar",
		"resource", "chrome", "chromeextension", "intent", "content", "http", "https", "ws", "wss", "ftp", "mailto", "tel", "sms", "urn":
		return true
	}
	return false
}
