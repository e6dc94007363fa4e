package api

import (
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
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
		return h(w, a.http.WithActor(w, r, actor.Actor{Type: actor.Tenant}), t)
	})
	if method != http.MethodGet {
		handler = a.sameOrigin(handler)
	}
	return httpx.Route{Method: method, Path: path, Access: tenantSession, Handler: handler}
}

// handle returns the handler of a request whose sender is not a tenant, with its actor ([httpx.API.WithActor]).
func (a *API) handle(h httpx.HandlerFunc) http.Handler {
	next := a.http.Handle(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, a.http.WithActor(w, r, actor.Actor{Type: actor.System}))
	})
}

// open returns the handler of a request without authentication. The bodies of such requests share a budget.
func (a *API) open(bodies *intake.Budget, h httpx.HandlerFunc) http.Handler {
	return a.http.LimitUnauthenticated(bodies, a.handle(h))
}

// loginHandler handles a request of the browser that has these tokens of logins. It finds the session.
type loginHandler func(w http.ResponseWriter, r *http.Request, tokens []string) error

// loginRoute returns a route for a login's browser that changes something. It requires the service's own Origin (L36) and
// a session cookie (L33).
func (a *API) loginRoute(path string, h loginHandler) httpx.Route {
	return httpx.Route{Method: http.MethodPost, Path: path, Access: loginSession, Handler: a.sameOrigin(a.handle(func(w http.ResponseWriter, r *http.Request) error {
		tokens := sessionTokens(r)
		if len(tokens) == 0 {
			return apierror.AuthSessionMissing.Err()
		}
		inside := a.http.Handle(func(w http.ResponseWriter, r *http.Request) error { return h(w, r, tokens) })
		a.http.LimitUnauthenticated(&a.formBodies, inside).ServeHTTP(w, r) // anyone can make up a well-formed cookie
		return nil
	}))}
}

// sameOrigin refuses requests from the pages of other sites.
func (a *API) sameOrigin(next http.Handler) http.Handler {
	return a.http.RequireOrigin(a.own.URL, apierror.AuthOriginMismatch, next)
}

// loginPoll returns a route for a login's browser that only reads.
func (a *API) loginPoll(path string, h loginHandler) httpx.Route {
	return httpx.Route{Method: http.MethodGet, Path: path, Access: loginSession, Handler: a.handle(func(w http.ResponseWriter, r *http.Request) error {
		return h(w, r, sessionTokens(r))
	})}
}

// openRoute returns a route without authentication that only reads.
func (a *API) openRoute(path string, h httpx.HandlerFunc) httpx.Route {
	return httpx.Route{Method: http.MethodGet, Path: path, Access: httpx.Anyone, Handler: a.handle(h)}
}
