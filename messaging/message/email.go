package message

import (
	"net/mail"
	"strings"
	"unicode"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/visible"
)

// IsEmail reports whether a text is an email address as messages take it.
func IsEmail(s string) bool { return CheckEmail("", s) == nil }

// CheckEmail checks the email address in a field of a request: at most 254 bytes, without a display name, with a dot in the
// domain, and without characters that nobody sees, which come from copying it.
//
// Errors: invalid_email.
func CheckEmail(field, s string) error {
	if i := strings.IndexFunc(s, visible.Invisible); i >= 0 {
		return fault.InvalidEmail.On(field).Detailf("%s contains the invisible character %U. Enter the address without it.", field, []rune(s[i:])[0])
	}
	a, err := mail.ParseAddress(s)
	domain := s[strings.LastIndexByte(s, '@')+1:]
	if len(s) > maxEmail || strings.ContainsFunc(s, unicode.IsSpace) ||
		err != nil || a.Name != "" || a.Address != s || !strings.Contains(domain, ".") { // a name alone is a machine's of the network here
		return fault.InvalidEmail.On(field).Detailf("%s must be an email address such as name@example.com.", field)
	}
	return nil
}
