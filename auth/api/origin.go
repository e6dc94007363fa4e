package api

import (
	"net/http"
	"strings"

	"example.com/griot/auth/dashboard"
	"example.com/griot/auth/login"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
)

func isPage(path string) bool {
	switch path {
	case "/authorize", "/authorize/open", "/authorize/again", "/waiting.html", plainPath, "/terms", "/privacy":
		return true
	}
	return httpx.Below(path, dashboard.Home) || httpx.Below(path, docsPath)
}

// showsErrors reports whether people see the errors at a path: they came by a link, a form or a QR code.
func showsErrors(path string) bool {
	return isPage(path) || strings.HasPrefix(path, login.ShortPrefix)
}

// docsPath is where the documentation is.
const docsPath = "/docs"

// withSession requires the service's own Origin (L36) and a session's cookie (L33).
func (a *API) withSession(next httpx.HandlerFunc) http.Handler {
	inside := a.http.LimitUnauthenticated(&a.formBodies, a.http.Handle(next)) // a cookie's form is easily made up
	return a.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if !httpx.SameOrigin(r, a.own.URL) {
			return fault.AuthOriginMismatch.Err()
		}
		if len(sessionTokens(r)) == 0 {
			return fault.AuthSessionMissing.Err()
		}
		inside.ServeHTTP(w, r)
		return nil
	})
}
