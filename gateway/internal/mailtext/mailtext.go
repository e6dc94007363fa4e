package mailtext

import (
	"encoding/base64"
	"net/mail"
	"strings"
	"unicode/utf8"
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

// Literal writes s in encoded-words (RFC 2047) with sep between them. It is for text in which something that looks like an
// encoded-word stands: as it is, it would be shown as what it decodes to.
func Literal(s, sep string) string {
	var words []string
	for s = strings.ToValidUTF8(s, "\uFFFD"); s != ""; {
		end := min(len(s), mostWord)
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(s[:end]))+"?=")
		s = s[end:]
	}
	return strings.Join(words, sep)
}

// mostWord is what an encoded-word holds with a field's name before it; bytes.
const mostWord = 39

// MessageID is the Message-ID (RFC 5322 §3.6.4) of a message with a reference, without its brackets. from is one of [Addresses].
func MessageID(ref, from string) string {
	return ref + "@" + from[strings.LastIndexByte(from, '@')+1:]
}

// IsASCII reports whether s is ASCII.
func IsASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
