package api

import (
	"net/http"

	"example.com/griot/auth/login"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

// Routes is the table of public endpoints: those of the base protocol first, then
// those that were added.
func (a *API) Routes() []httpx.Route {
	routes := []httpx.Route{
		{Method: "GET", Path: "/authorize", Handler: a.http.Handle(a.authorize)},
		{Method: "POST", Path: "/authorize/activate", Handler: a.withSession(a.activate)},
		{Method: "GET", Path: "/authorize/status", Handler: a.http.Handle(a.status)},
		{Method: "POST", Path: "/authorize/sandbox", Handler: a.withSession(a.sandbox)},
		{Method: "POST", Path: "/token", Handler: anyOrigin(a.http.LimitUnauthenticated(&a.tokenBodies, a.token(http.StatusCreated)))},
		{Method: "GET", Path: "/.well-known/jwks.json", Handler: anyOrigin(a.http.Handle(a.keys))},
		{Method: "GET", Path: "/.well-known/oauth-authorization-server", Handler: anyOrigin(a.metadata)},
		{Method: "GET", Path: "/healthz", Handler: a.http.Handle(a.health)},
		{Method: "POST", Path: "/manage/login", Handler: a.sameOrigin(a.http.LimitUnauthenticated(&a.formBodies, a.http.Handle(a.manageLogin)))},
		{Method: "POST", Path: "/manage/logout", Handler: a.sameOrigin(a.withDashboard(a.manageLogout))},
		{Method: "GET", Path: "/manage/overview", Handler: a.withDashboard(a.overview)},
		{Method: "POST", Path: "/manage/clients", Handler: a.sameOrigin(a.withDashboard(a.createClient))},
		{Method: "PATCH", Path: "/manage/clients/{id}", Handler: a.sameOrigin(a.withDashboard(a.changeClient))},
		{Method: "POST", Path: "/manage/clients/{id}/rotate", Handler: a.sameOrigin(a.withDashboard(a.rotateSecret))},

		{Method: "GET", Path: "/manage/stats", Handler: a.withDashboard(a.stats)},
		{Method: "GET", Path: "/manage/events", Handler: a.withDashboard(a.tenantEvents)},
		{Method: "GET", Path: "/manage/people", Handler: a.withDashboard(a.people)},
		{Method: "GET", Path: "/manage/people/{id}", Handler: a.withDashboard(a.person)},
		{Method: "DELETE", Path: "/manage/people/{id}", Handler: a.sameOrigin(a.withDashboard(a.erasePerson))},
		{Method: "GET", Path: "/manage/appearance", Handler: a.withDashboard(a.appearance)},
		{Method: "PATCH", Path: "/manage/appearance", Handler: a.sameOrigin(a.withDashboard(a.changeAppearance))},
		{Method: "GET", Path: "/manage/webhook", Handler: a.withDashboard(a.webhook)},
		{Method: "POST", Path: "/manage/webhook/enable", Handler: a.sameOrigin(a.withDashboard(a.enableWebhook))},
		{Method: "POST", Path: "/manage/webhook/rotate", Handler: a.sameOrigin(a.withDashboard(a.rotateWebhook))},
		{Method: "POST", Path: "/manage/webhook/ping", Handler: a.sameOrigin(a.withDashboard(a.pingWebhook))},
		{Method: "GET", Path: "/manage/webhook/events", Handler: a.withDashboard(a.webhookEvents)},
		{Method: "GET", Path: "/manage/webhook/events/{eventId}", Handler: a.withDashboard(a.webhookEvent)},
		{Method: "POST", Path: "/manage/webhook/events/{eventId}/resend", Handler: a.sameOrigin(a.withDashboard(a.resendWebhookEvent))},
		{Method: "POST", Path: "/oauth2/token", Handler: anyOrigin(a.http.LimitUnauthenticated(&a.tokenBodies, a.token(http.StatusOK)))},
		{Method: "OPTIONS", Path: "/token", Handler: anyOrigin(http.HandlerFunc(preflight))},
		{Method: "OPTIONS", Path: "/oauth2/token", Handler: anyOrigin(http.HandlerFunc(preflight))},
		{Method: "POST", Path: "/oauth2/revoke", Handler: anyOrigin(a.http.LimitUnauthenticated(&a.tokenBodies, a.http.Handle(a.revoke)))},
		{Method: "OPTIONS", Path: "/oauth2/revoke", Handler: anyOrigin(http.HandlerFunc(preflight))},
		{Method: "POST", Path: "/oauth2/introspect", Handler: a.http.LimitUnauthenticated(&a.tokenBodies, a.http.Handle(a.introspect))},
		{Method: "GET", Path: "/authorize/events", Handler: a.http.Handle(a.events)},
		{Method: "GET", Path: "/authorize/page", Handler: a.http.Handle(a.plain)},
		{Method: "POST", Path: "/authorize/page", Handler: a.withSession(a.plainForm)},
		{Method: "GET", Path: "/authorize/open", Handler: a.http.Handle(a.openLink)},
		{Method: "GET", Path: "/authorize/again", Handler: a.http.Handle(a.tryAgain)},
		{Method: "GET", Path: "/authorize/details", Handler: a.http.Handle(a.details)},
		{Method: "GET", Path: "/authorize/qr.svg", Handler: a.http.Handle(a.qr)},
		{Method: "GET", Path: login.ShortPrefix + "{code}", Handler: a.http.Handle(a.short)},
		{Method: "GET", Path: "/waiting.html", Handler: a.http.Handle(a.waiting)},
		{Method: "GET", Path: "/terms", Handler: a.http.Handle(a.legal.Terms)},
		{Method: "GET", Path: "/privacy", Handler: a.http.Handle(a.legal.Privacy)},
		{Method: "GET", Path: "/docs/errors", Handler: a.http.Handle(a.reference.Errors)},
		{Method: "GET", Path: "/docs", Handler: a.http.Handle(a.book.Contents)},
		{Method: "GET", Path: "/docs/{page...}", Handler: a.http.Handle(a.bookPage)},
		{Method: "GET", Path: "/docs/reference", Handler: a.http.Handle(a.reference.Index)},
		{Method: "GET", Path: "/docs/reference/{name}", Handler: a.http.Handle(a.referencePage)},
		{Method: "GET", Path: "/openapi.yaml", Handler: a.openapi},
		{Method: "GET", Path: "/" + web.ButtonScript, Handler: a.pages.Button(web.ButtonScript)},
		{Method: "GET", Path: "/" + web.ButtonStyle, Handler: a.pages.Button(web.ButtonStyle)},
		{Method: "GET", Path: "/static/", Handler: a.pages.Static(a.http.NotFound)},
	}
	if a.verifyOnPublic {
		routes = append(routes, a.Internal()...)
	}
	return routes
}

// Internal is the table of endpoints for the internal listener.
func (a *API) Internal() []httpx.Route {
	return []httpx.Route{{Method: "POST", Path: "/internal/verify", Handler: a.http.LimitUnauthenticated(&a.internalBodies, a.http.Handle(a.verify))}}
}

// anyOrigin lets scripts of any site read the response, without credentials, and the headers by which they know when to
// try again and which request to name.
func anyOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
		next.ServeHTTP(w, r)
	})
}

func preflight(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "POST")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}
