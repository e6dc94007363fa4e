package httpx

import (
	"cmp"
	"net/http"
	"slices"
)

// TokenLength is the length of a session's token, in characters: 256 bits in base64url.
const TokenLength = 43

// TokenCookie is the cookie of a dashboard's session. Scripts cannot read it, and other
// sites' requests do not send it, unless a person follows a link.
type TokenCookie struct {
	Name   string
	Path   string // empty: all paths
	Secure bool   // derived from the public address, because a laptop has no https
	Strict bool   // requests from links on other sites don't send it either
	Host   bool   // if it is Secure, its name has the prefix __Host- and its path is /
}

// hostPrefix is the prefix of cookies that browsers accept only over https, only from this host, and only for all
// paths.
const hostPrefix = "__Host-"

// hostOnly returns the name and the path of a cookie, with [hostPrefix] if it is secure.
func hostOnly(name, path string, secure bool) (string, string) {
	if secure {
		return hostPrefix + name, "/"
	}
	return name, path
}

// nameAndPath returns the name and the path as browsers see them.
func (c TokenCookie) nameAndPath() (string, string) {
	return hostOnly(c.Name, cmp.Or(c.Path, "/"), c.Secure && c.Host)
}

// maxSameName is the maximum number of cookies with one name that are tried.
const maxSameName = 8

// Values returns the values of at most 8 cookies with a name. A browser sends several if a page of another host in the
// same domain, or of another path, has set one, too. It doesn't send their origin.
func Values(r *http.Request, name string) (values []string) {
	for _, given := range r.CookiesNamed(name) {
		if len(values) < maxSameName && !slices.Contains(values, given.Value) {
			values = append(values, given.Value)
		}
	}
	return values
}

// OneOf tries each value, and returns the result of the valid one. ok is false if none is valid, and if several are,
// because another host might have set one of them and they can't be distinguished.
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

// Values returns the values of the cookie in the request, for [OneOf].
func (c TokenCookie) Values(r *http.Request) []string {
	name, _ := c.nameAndPath()
	return Values(r, name)
}

// Tokens returns the values of the cookie that have the format of a token, for [OneOf].
func (c TokenCookie) Tokens(r *http.Request) []string {
	return slices.DeleteFunc(c.Values(r), func(value string) bool { return len(value) != TokenLength })
}

// Only returns the token of the request if it has exactly one, and "" otherwise. It is for cookies that are not checked
// against a stored value.
func (c TokenCookie) Only(r *http.Request) string {
	if tokens := c.Tokens(r); len(tokens) == 1 {
		return tokens[0]
	}
	return ""
}

// Set sets the cookie to a token, or several in one text, for a number of seconds; 0: until the browser is closed.
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
