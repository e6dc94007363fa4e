package account

import (
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Lifetimes of a browser's cookie: until its code has expired, or longer after someone has signed in there.
const (
	AskedTime = time.Hour
	KnownTime = 180 * 24 * time.Hour
)

const (
	maxKnown   = 4  // maximum number of addresses that a browser is known for; the latest are kept
	cookiePart = 43 // characters of a token or a signature: 256 bits in base64url
)

// A Browser is a browser in which a person signs in. A code is valid only in the browser that requested it. The
// browser's cookie contains a token, which identifies it, and a signature for each address that has signed in there.
type Browser struct {
	Client string // the source address of its request, as counted by limits

	token string
	known []string
	isNew bool
}

// Browser parses a browser's cookie. If the cookie is invalid, it returns a new browser.
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

// CookieLifetime returns the lifetime of the cookie.
func (b *Browser) CookieLifetime() time.Duration {
	if len(b.known) > 0 {
		return KnownTime
	}
	return AskedTime
}

func (b *Browser) hash() string { return seal.Hash(b.token) }

// knows reports whether an address has signed in in this browser before.
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

// SealEmail returns an encrypted address for the browser in which it signs in. A form keeps it between two pages.
func (s *SignIn) SealEmail(b *Browser, email string) string {
	return s.emails.Seal([]byte(NormalEmail(email)), b.token)
}

// OpenEmail returns the address that [SignIn.SealEmail] has encrypted. It returns "" if the address was encrypted for
// another browser or not by this service.
func (s *SignIn) OpenEmail(b *Browser, sealed string) string {
	email, err := s.emails.Open(sealed, b.token)
	if err != nil {
		return ""
	}
	return string(email)
}
