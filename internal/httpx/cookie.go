package httpx

import (
	"cmp"
	"net/http"
	"slices"
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

// maxSameName bounds the cookies of one name that are tried.
const maxSameName = 8

// Values returns the values of the cookies of the name, at most 8. A browser sends several if a page of another host in the same
// domain, or of another path, has set one too, and doesn't send where each comes from.
func Values(r *http.Request, name string) (values []string) {
	for _, given := range r.CookiesNamed(name) {
		if len(values) < maxSameName && !slices.Contains(values, given.Value) {
			values = append(values, given.Value)
		}
	}
	return values
}

// OneOf tries each value, and returns the result of the one that is valid. ok is false if none is, and if several are: another host
// may have set one of them, and nothing shows which.
func OneOf[T any](values []string, try func(value string) (result T, valid bool, err error)) (result T, ok bool, err error) {
	for _, value := range values {
		next, valid, err := try(value)
		switch {
		case err != nil || valid && ok:
			var none T
			return none, false, err
		case valid:
			result, ok = next, true
		}
	}
	return result, ok, nil
}

// Values returns the values that the request has for the cookie, for [OneOf].
func (c TokenCookie) Values(r *http.Request) []string {
	name, _ := c.nameAndPath()
	return Values(r, name)
}

// Tokens returns the values that have the form of a token, for [OneOf].
func (c TokenCookie) Tokens(r *http.Request) []string {
	return slices.DeleteFunc(c.Values(r), func(value string) bool { return len(value) != TokenLength })
}

// Only returns the token of the request if it has exactly one, and "" otherwise. It is for cookies that no stored value confirms.
func (c TokenCookie) Only(r *http.Request) string {
	if tokens := c.Tokens(r); len(tokens) == 1 {
		return tokens[0]
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
