package virtual

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/internal/phone"
)

type kind string

const (
	kindPhone kind = "phone"
	kindEmail kind = "email"
	kindGroup kind = "group"
)

const (
	groupDomain    = "@g.us"
	addressMaxSize = 254 // RFC 5321: what fits in a path
	localMaxSize   = 64
)

// address is a number, a mailbox, or a group. Its key is the canonical form: digits, or lowercase.
type address struct {
	key  string
	kind kind
}

// parseAddress parses a number, an email address, or the ID of a group. It does not check that mail can be delivered to the address.
func parseAddress(s string) (address, bool) {
	if n, ok := phone.Parse(s); ok {
		return address{string(n), kindPhone}, true
	}
	if len(s) > addressMaxSize || !utf8.ValidString(s) {
		return address{}, false
	}
	s = strings.ToLower(s)
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || domain == "" || len(local) > localMaxSize || len(s) > addressMaxSize ||
		strings.ContainsRune(domain, '@') || strings.ContainsFunc(s, notInAddress) {
		return address{}, false
	}
	if "@"+domain == groupDomain {
		return address{s, kindGroup}, true
	}
	return address{s, kindEmail}, true
}

func notInAddress(r rune) bool {
	return !unicode.IsGraphic(r) || unicode.IsSpace(r) || strings.ContainsRune(`"(),:;<>[\]/?#`, r)
}
