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
	Host   bool   // where it is Secure, its name has the prefix __Host-, and its path is /
}

// hostPrefix begins the names of cookies that browsers take over https only, from this host only, and for all paths only.
const hostPrefix = "__Host-"

// hostOnly returns the name and the path of a cookie with [hostPrefix] where it is secure.
func hostOnly(name, path string, secure bool) (string, string) {
	if secure {
		return hostPrefix + name, "/"
	}
	return name, path
}

// nameAndPath returns them as browsers see them.
func (c TokenCookie) nameAndPath() (string, string) {
	return hostOnly(c.Name, cmp.Or(c.Path, "/"), c.Secure && c.Host)
}

// Value returns the text of the cookie; "" when there is none.
func (c TokenCookie) Value(r *http.Request) string {
	name, _ := c.nameAndPath()
	given, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return given.Value
}

// Token returns what has the form of a token; "" when no cookie of the name has.
func (c TokenCookie) Token(r *http.Request) string {
	name, _ := c.nameAndPath()
	for _, given := range r.CookiesNamed(name) {
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
	name, path := c.nameAndPath()
	site := http.SameSiteLaxMode
	if c.Strict {
		site = http.SameSiteStrictMode
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure follows the public address
		Name: name, Value: token, Path: path, MaxAge: maxAge, HttpOnly: true, SameSite: site, Secure: c.Secure,
	})
}
