// Package idn converts internationalized domain names to the form that DNS, certificates, and browsers use.
package idn

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// profile maps input by users (UTS #46): case, width, composition, and the ideographic full stop. It checks what registries
// allow in labels, and the lengths that DNS allows.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true), idna.Transitional(false))

// ASCII returns a domain in lower-case A-labels (RFC 5890): "bücher.example" is "xn--bcher-kva.example". A domain in
// ASCII is only converted to lowercase. ok is false for an invalid domain.
func ASCII(domain string) (ascii string, ok bool) {
	if isASCII(domain) {
		return strings.ToLower(domain), true
	}
	name, err := profile.ToUnicode(domain)
	if err != nil || strings.ContainsFunc(name, isSymbol) {
		return "", false
	}
	ascii, err = profile.ToASCII(name)
	return ascii, err == nil
}

// Host returns the host of a URL as browsers write it in Origin: a domain as [ASCII] returns it, without a trailing
// dot, and an IP address in its short form. ok is false for a host that is invalid in DNS.
func Host(host string) (ascii string, ok bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.String(), true
	}
	if ascii, ok = ASCII(host); !ok {
		return "", false
	}
	ascii = strings.TrimSuffix(ascii, ".")
	const most = 253
	if len(ascii) > most || !names.MatchString(ascii) {
		return "", false
	}
	return ascii, true
}

// Registered returns a domain in the form of [Host], as it can be registered: letters, digits, and hyphens in at least
// two labels, and A-labels that are valid. ok is false for other names in DNS, and for an IP address.
func Registered(domain string) (ascii string, ok bool) {
	ascii, ok = Host(domain)
	if !ok || !labels.MatchString(ascii) {
		return "", false
	}
	name, err := profile.ToUnicode(ascii)
	if err != nil || strings.ContainsFunc(name, isSymbol) {
		return "", false
	}
	again, err := profile.ToASCII(name)
	return ascii, err == nil && again == ascii
}

// labels matches a domain of at least two labels, the last of which contains a letter (RFC 3696 §2).
var labels = regexp.MustCompile(`\A([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+([a-z0-9-]*[a-z][a-z0-9-]*[a-z0-9]|[a-z])\z`)

// names matches a domain in ASCII. Names in private networks can have an underscore.
var names = regexp.MustCompile(`\A[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\z`)

// isSymbol reports whether a character is not allowed in labels (RFC 5892), because UTS #46 accepts symbols and
// punctuation. The exceptions are needed by some scripts.
func isSymbol(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !strings.ContainsRune("-.\u200c\u200d\u00b7\u30fb", r)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
