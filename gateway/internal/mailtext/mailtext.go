package mailtext

import (
	"net/mail"
	"strings"
)

// IsAddress takes a bare address: no name, no comment, no brackets; at most 254 bytes (RFC 5321 §4.5.3.1.3).
func IsAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254
}

// OneLine makes s safe for a header: line breaks and other control characters become spaces.
func OneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}

// Named is an address with a name before it, which is quoted; the bare address without one.
func Named(name, address string) string {
	if name = OneLine(name); name == "" {
		return address
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `" <` + address + `>`
}

// MessageID is the Message-ID (RFC 5322 §3.6.4) of a message with a reference, without its brackets. ok is false if the
// sender's domain can't stand in it.
func MessageID(ref, from string) (id string, ok bool) {
	domain := from[strings.LastIndexByte(from, '@')+1:]
	return ref + "@" + domain, IsASCII(domain)
}

// IsASCII reports whether s is ASCII.
func IsASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
