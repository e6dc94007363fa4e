package message

import (
	"net/mail"
	"strings"
	"unicode"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/visible"
)

// IsEmail reports whether a text is an email address that messages accept.
func IsEmail(s string) bool { return CheckEmail("", s) == nil }

// CheckEmail checks the email address in a field of a request. It must have at most 254 bytes, no display name, a dot
// in the domain, and no invisible characters, which are sometimes copied with it.
//
// Errors: invalid_email.
func CheckEmail(field, s string) error {
	if i := strings.IndexFunc(s, visible.Invisible); i >= 0 {
		return apierror.InvalidEmail.On(field).Detailf("%s contains the invisible character %U. Enter the address without it.", field, []rune(s[i:])[0])
	}
	a, err := mail.ParseAddress(s)
	domain := s[strings.LastIndexByte(s, '@')+1:]
	if len(s) > maxEmail || strings.ContainsFunc(s, unicode.IsSpace) ||
		err != nil || a.Name != "" || a.Address != s || !strings.Contains(domain, ".") { // without a dot, it is a machine in the local network
		return apierror.InvalidEmail.On(field).Detailf("%s must be an email address such as name@example.com.", field)
	}
	return nil
}
