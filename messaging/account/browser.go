package account

import (
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// How long a browser's cookie is kept: until its code has expired, and when somebody has signed in there.
const (
	AskedTime = time.Hour
	KnownTime = 180 * 24 * time.Hour
)

const (
	maxKnown   = 4  // addresses that a browser may be known for: the latest
	cookiePart = 43 // characters of a token, and of a signature: 256 bits in base64url
)

// Browser is a browser in which a person signs in: a code is valid only in the browser
// that requested it. Its cookie is a token, which identifies it, and a signature for
// each address that has signed in there.
type Browser struct {
	Client string // the address that its request came from, as limits count it

	token string
	known []string
	isNew bool
}

// Browser parses a browser's cookie. For an invalid one it returns a new browser.
func (s *SignIn) Browser(cookie string) *Browser {
	parts := strings.Split(cookie, ".")
	if len(parts) > 1+maxKnown || slices.ContainsFunc(parts, func(p string) bool { return len(p) != cookiePart }) {
		return &Browser{token: id.Token(tokenBytes), isNew: true}
	}
	return &Browser{token: parts[0], known: parts[1:]}
}

// IsNew reports whether the browser had no valid cookie.
func (b *Browser) IsNew() bool { return b.isNew }

// Cookie returns the cookie's value.
func (b *Browser) Cookie() string { return strings.Join(append([]string{b.token}, b.known...), ".") }

// CookieLifetime is how long the cookie is to be kept.
func (b *Browser) CookieLifetime() time.Duration {
	if len(b.known) > 0 {
		return KnownTime
	}
	return AskedTime
}

func (b *Browser) hash() string { return seal.Hash(b.token) }

// knows reports whether an address has signed in there before.
func (s *SignIn) knows(b *Browser, email string) bool {
	return slices.ContainsFunc(b.known, func(known string) bool { return s.browsers.Made(known, encodeMAC, b.token, email) })
}

// addKnown adds the signature of an address that has signed in.
func (s *SignIn) addKnown(b *Browser, email string) {
	mark := s.signature(b, email)
	others := slices.DeleteFunc(slices.Clone(b.known), func(known string) bool { return known == mark })
	b.known = append(others[max(0, len(others)+1-maxKnown):], mark)
}

func (s *SignIn) signature(b *Browser, email string) string {
	return encodeMAC(s.browsers.MAC(b.token, email))
}

// SealEmail returns an address, sealed for the browser in which it signs in: a form keeps it between two pages.
func (s *SignIn) SealEmail(b *Browser, email string) string {
	return s.emails.Seal([]byte(NormalEmail(email)), b.token)
}

// OpenEmail returns the address of [SignIn.SealEmail]; "" when it was sealed for another browser, or not by this service.
func (s *SignIn) OpenEmail(b *Browser, sealed string) string {
	email, err := s.emails.Open(sealed, b.token)
	if err != nil {
		return ""
	}
	return string(email)
}
