package api

import (
	"net/http"
	"slices"
	"strings"

	"example.com/griot/internal/httpx"
)

const (
	sessionCookie   = "svc_sid"
	maxCookieLogins = 4   // L37: the browser's last logins, so that two tabs work
	cookieAge       = 300 // seconds; longer than a login can be handed back
)

// sessionTokens returns the tokens of the browser's last logins: the newest of each cookie, then the second of each,
// and so on, so that another host's cookie doesn't displace any of them. A login has one token, so no two of them are
// valid for it.
func sessionTokens(r *http.Request) (tokens []string) {
	var cookies [][]string
	for _, value := range httpx.Values(r, sessionCookie) {
		cookies = append(cookies, strings.SplitN(value, ".", maxCookieLogins+1))
	}
	for i := range maxCookieLogins {
		for _, of := range cookies {
			if i < len(of) && len(of[i]) == httpx.TokenLength && !slices.Contains(tokens, of[i]) {
				tokens = append(tokens, of[i])
			}
		}
	}
	return tokens
}

// setSession adds a login's token to the browser's cookie, before those of its other logins.
func (a *API) setSession(w http.ResponseWriter, token string, others []string) {
	tokens := append([]string{token}, others...)
	tokens = tokens[:min(len(tokens), maxCookieLogins)]
	httpx.TokenCookie{Name: sessionCookie, Secure: a.own.Secure}.Set(w, strings.Join(tokens, "."), cookieAge)
}
