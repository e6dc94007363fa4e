package httpx

import (
	"cmp"
	"net/http"
)

// TokenLength is how many characters a session's token has: 256 bits in base64url.
const TokenLength = 43

// TokenCookie is the cookie of a dashboard's session. Scripts cannot read it, and
// other sites' requests do not send it, except when a person follows a link.
type TokenCookie struct {
	Name   string
	Path   string // empty: all
	Secure bool   // follows the public address: a laptop has no https
	Strict bool   // other sites' links do not send it either
}

// Token returns what has the form of a token; "" when no cookie of the name has.
func (c TokenCookie) Token(r *http.Request) string {
	for _, given := range r.CookiesNamed(c.Name) {
		if len(given.Value) == TokenLength {
			return given.Value
		}
	}
	return ""
}

// Set gives the browser a token, or several in one text, for so many seconds; 0: until it is closed.
func (c TokenCookie) Set(w http.ResponseWriter, token string, seconds int) {
	c.write(w, token, seconds)
}

// Clear makes the browser delete the cookie.
func (c TokenCookie) Clear(w http.ResponseWriter) { c.write(w, "", -1) }

func (c TokenCookie) write(w http.ResponseWriter, token string, maxAge int) {
	site := http.SameSiteLaxMode
	if c.Strict {
		site = http.SameSiteStrictMode
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure follows the public address
		Name: c.Name, Value: token, Path: cmp.Or(c.Path, "/"), MaxAge: maxAge, HttpOnly: true, SameSite: site, Secure: c.Secure,
	})
}
