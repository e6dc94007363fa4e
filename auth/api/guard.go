package api

import (
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

// The access of routes that need authentication.
const (
	tenantSession    = httpx.Callers("a tenant, by the session of its dashboard")
	loginSession     = httpx.Callers("the browser of a login, by its cookie")
	client           = httpx.Callers("a client, by its credentials")
	accessToken      = httpx.Callers("an application, by the access token of a login")
	idToken          = httpx.Callers("an application, by the ID token of a login")
	gatewaySignature = httpx.Callers("a gateway on this machine, by its signature")
)

// tenantRoute returns a route for sessions of a tenant's dashboard. A request that changes something must come from this
// service's own origin.
func (a *API) tenantRoute(method, path string, h func(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error) httpx.Route {
	handler := a.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		tokens := a.dashboardCookie().Tokens(r)
		if len(tokens) == 0 {
			return apierror.AuthDashboardMissing.Err()
		}
		t, ok, err := httpx.OneOf(tokens, func(token string) (*tenant.Tenant, bool, error) {
			t, err := a.tenants.Dashboard(r.Context(), token)
			return t, t != nil, err
		})
		if err != nil {
			return err
		}
		if !ok {
			return apierror.AuthDashboardExpired.Err()
		}
		by := actor.Actor{Type: actor.Tenant, Address: httpx.ClientIP(r), RequestID: httpx.RequestID(w)}
		return h(w, r.WithContext(actor.With(r.Context(), by)), t)
	})
	if method != http.MethodGet {
		handler = a.sameOrigin(handler)
	}
	return httpx.Route{Method: method, Path: path, Access: tenantSession, Handler: handler}
}

// loginRoute returns a route for a login's browser. It requires the service's own Origin (L36) and a session cookie (L33).
// The handler finds the session.
func (a *API) loginRoute(method, path string, h httpx.HandlerFunc) httpx.Route {
	inside := a.http.LimitUnauthenticated(&a.formBodies, a.http.Handle(h)) // anyone can make up a well-formed cookie
	return httpx.Route{Method: method, Path: path, Access: loginSession, Handler: a.sameOrigin(a.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if len(sessionTokens(r)) == 0 {
			return apierror.AuthSessionMissing.Err()
		}
		inside.ServeHTTP(w, r)
		return nil
	}))}
}

// sameOrigin refuses requests from the pages of other sites.
func (a *API) sameOrigin(next http.Handler) http.Handler {
	return a.http.RequireOrigin(a.own.URL, apierror.AuthOriginMismatch, next)
}

// loginPoll returns a route for a login's browser. The handler finds the session.
func (a *API) loginPoll(path string, h httpx.HandlerFunc) httpx.Route {
	return httpx.Route{Method: http.MethodGet, Path: path, Access: loginSession, Handler: a.http.Handle(h)}
}

// openRoute returns a route without authentication that only reads.
func (a *API) openRoute(path string, h httpx.HandlerFunc) httpx.Route {
	return httpx.Route{Method: http.MethodGet, Path: path, Access: httpx.Anyone, Handler: a.http.Handle(h)}
}
