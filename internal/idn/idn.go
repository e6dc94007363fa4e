// Package idn converts internationalized domain names to the form that DNS, certificates, and browsers use.
package idn

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// profile maps input by users (UTS #46): case, width, composition, and the ideographic full stop. It checks what registries
// allow in labels, and the lengths that DNS allows.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true), idna.Transitional(false))

// ASCII returns a domain in lower-case A-labels (RFC 5890): "bücher.example" is "xn--bcher-kva.example". A domain in ASCII is
// only lower-cased. ok is false for an invalid domain.
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

// isSymbol reports whether no label has a character (RFC 5892): UTS #46 lets symbols and punctuation pass. The exceptions are
// those that some scripts need.
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
