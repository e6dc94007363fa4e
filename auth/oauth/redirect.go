package oauth

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// MaxRedirect is the maximum length of a redirect address, in bytes.
const MaxRedirect = 2048

// Printable reports whether uri has only the characters of a URI: printable ASCII
// without spaces, at most [MaxRedirect] bytes, with a scheme.
func Printable(uri string) bool {
	if len(uri) > MaxRedirect || strings.IndexByte(uri, ':') < 1 {
		return false
	}
	for i := range len(uri) {
		if c := uri[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>\^{|}`+"`", c) >= 0 {
			return false
		}
	}
	return true
}

// OfThisMachine reports whether a redirect address leads to the machine of the person's browser.
func OfThisMachine(uri string) bool {
	_, _, http := splitLoopback("http://", uri)
	_, _, https := splitLoopback("https://", uri)
	return http || https
}

// Ports decides which ports a requested address of this machine can have (RFC 8252 §7.3).
type Ports int

// The rules for ports.
const (
	RegisteredPort Ports = iota // the registered one
	AnyPortOfIP                 // any, over http and with the IP address 127.0.0.1 or [::1]
	AnyPort                     // any, also over https and with the name localhost
)

// MatchRedirect reports whether a requested address is one of the registered ones, character for character. Only the
// port of an address of this machine can differ, as far as the rule allows it (L17, L18).
func MatchRedirect(registered []string, requested string, ports Ports) bool {
	if slices.Contains(registered, requested) {
		return true
	}
	if ports == RegisteredPort {
		return false
	}
	for _, scheme := range []string{"http://", "https://"} {
		host, rest, ok := splitLoopback(scheme, requested)
		if ports == AnyPortOfIP && (scheme != "http://" || host == localhost) {
			continue
		}
		if ok && slices.ContainsFunc(registered, func(uri string) bool {
			h, r, ok := splitLoopback(scheme, uri)
			return ok && h == host && r == rest
		}) {
			return true
		}
	}
	return false
}

// localhost is a name, which a name server or a file of the machine can point elsewhere.
const localhost = "localhost"

// splitLoopback splits an address of this machine, which has a scheme such as http://, into its host and the
// text after the port. It works on the text, so that it can't be parsed differently.
func splitLoopback(scheme, uri string) (host, rest string, ok bool) {
	after, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", false
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	authority, rest := after[:end], after[end:]
	for _, host := range []string{"127.0.0.1", "[::1]", localhost} {
		port, ok := strings.CutPrefix(authority, host)
		if ok && (port == "" || port[0] == ':' && validPort(port[1:])) {
			return host, rest, true
		}
	}
	return "", "", false
}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && s[0] != '0' && s[0] != '+'
}

// Param is one parameter of a redirect.
type Param struct{ Name, Value string }

// Response returns the parameters of a response to an authorization request (RFC 6749 §4.1.2, RFC 9207): the given
// ones, state unless the request had none, and the issuer.
func Response(state, issuer string, params ...Param) []Param {
	if state != "" {
		params = append(params, Param{"state", state})
	}
	return append(params, Param{"iss", issuer})
}

// Redirect returns uri with the parameters added to its query, if any (RFC 6749 §3.1.2).
func Redirect(uri string, params ...Param) string {
	var b strings.Builder
	b.WriteString(uri)
	sep := byte('?')
	if i := strings.IndexByte(uri, '?'); i >= 0 {
		sep = '&'
		if last := uri[len(uri)-1]; last == '?' || last == '&' {
			sep = 0
		}
	}
	for _, p := range params {
		if sep != 0 {
			b.WriteByte(sep)
		}
		sep = '&'
		b.WriteString(p.Name)
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(p.Value))
	}
	return b.String()
}

// Host returns the part of an application's redirect address that people can recognize: the host with its port, or the
// scheme of an address without a host.
func Host(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	if err != nil {
		return ""
	}
	if u.Host != "" {
		return u.Host
	}
	return u.Scheme
}

// Origin returns the origin of an application's redirect address in the format of a content security policy. For an
// address without a host, it is only the scheme.
func Origin(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	if err != nil {
		return ""
	}
	if u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}
