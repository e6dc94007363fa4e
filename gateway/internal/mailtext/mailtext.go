package mailtext

import (
	"net/mail"
	"strings"

	"example.com/griot/internal/visible"
)

// IsAddress reports whether s is a bare address, without name, comment, or brackets, of at most 254 bytes (RFC 5321 §4.5.3.1.3).
func IsAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254
}

// FormatAddress returns an address with a quoted name before it, or the bare address if name is empty.
func FormatAddress(name, address string) string {
	if name = visible.Line(name); name == "" {
		return address
	}
	return quote(name) + " <" + address + ">"
}

// quote returns a name as a quoted-string (RFC 5322 §3.2.4).
func quote(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// MessageID returns the Message-ID (RFC 5322 §3.6.4) of the message with a reference, without brackets. from is as [Addresses] returns it.
func MessageID(ref, from string) string {
	return ref + "@" + from[strings.LastIndexByte(from, '@')+1:]
}

// IsASCII reports whether s is ASCII.
func IsASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
