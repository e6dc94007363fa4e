package api

import (
	"net/http"
	"slices"
	"strings"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/httpx"
)

const (
	sessionCookie   = "svc_sid"
	maxCookieLogins = 4   // L37: the browser's last logins, so that two tabs work
	cookieAge       = 300 // seconds: longer than a login can be handed back
)

// sessionTokens returns the tokens of the browser's last logins, newest first.
func sessionTokens(r *http.Request) []string {
	var tokens []string
	for _, c := range r.CookiesNamed(sessionCookie) {
		for t := range strings.SplitSeq(c.Value, ".") {
			if len(t) == httpx.TokenLength && len(tokens) < maxCookieLogins && !slices.Contains(tokens, t) {
				tokens = append(tokens, t)
			}
		}
	}
	return tokens
}

// setSession adds a login's token to the browser's cookie.
func (a *API) setSession(w http.ResponseWriter, r *http.Request, token string) {
	tokens := append([]string{token}, sessionTokens(r)...)
	tokens = tokens[:min(len(tokens), maxCookieLogins)]
	httpx.TokenCookie{Name: sessionCookie, Secure: a.own.Secure}.Set(w, strings.Join(tokens, "."), cookieAge)
}

// caller is who sends the request, for the audit.
func caller(w http.ResponseWriter, r *http.Request) tenant.Caller {
	return tenant.Caller{IP: httpx.ClientIP(r), RequestID: httpx.RequestID(w)}
}
