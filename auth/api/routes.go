package api

import (
	"net/http"

	"example.com/griot/auth/login"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

// Routes returns the table of public endpoints: first those of the base protocol, then the later additions.
func (a *API) Routes() []httpx.Route {
	routes := []httpx.Route{
		a.openRoute("/authorize", a.authorize),
		{Method: "POST", Path: "/authorize", Access: httpx.Anyone, Handler: a.open(&a.formBodies, a.authorizeForm)},
		a.loginRoute("/authorize/activate", a.activate),
		a.statusRoute("/authorize/status"),
		a.loginRoute("/authorize/sandbox", a.sandbox),
		{Method: "POST", Path: "/token", Access: client, Handler: anyOrigin(a.open(&a.tokenBodies, a.token(http.StatusCreated)))},
		{Method: "GET", Path: "/.well-known/jwks.json", Access: httpx.Anyone, Handler: anyOrigin(a.http.Handle(a.keys))},
		{Method: "GET", Path: "/.well-known/oauth-authorization-server", Access: httpx.Anyone, Handler: anyOrigin(a.metadata)},
		{Method: "GET", Path: "/.well-known/openid-configuration", Access: httpx.Anyone, Handler: anyOrigin(a.openID)},
		a.openRoute("/healthz", a.health),
		{Method: "POST", Path: "/manage/login", Access: httpx.Anyone, Handler: a.sameOrigin(a.open(&a.formBodies, a.manageLogin))},
		a.tenantRoute("POST", "/manage/logout", a.manageLogout),
		a.tenantRoute("GET", "/manage/overview", a.overview),
		a.tenantRoute("POST", "/manage/clients", a.createClient),
		a.tenantRoute("PATCH", "/manage/clients/{id}", a.changeClient),
		a.tenantRoute("POST", "/manage/clients/{id}/rotate", a.rotateSecret),
		a.tenantRoute("GET", "/manage/clients/{id}/connect", a.connect),
		a.tenantRoute("PUT", "/manage/clients/{id}/connect", a.changeConnect),

		a.tenantRoute("GET", "/manage/domains", a.domains),
		a.tenantRoute("POST", "/manage/domains", a.addDomain),
		a.tenantRoute("POST", "/manage/domains/{domain}/verify", a.verifyDomain),
		a.tenantRoute("DELETE", "/manage/domains/{domain}", a.removeDomain),

		a.tenantRoute("GET", "/manage/stats", a.stats),
		a.tenantRoute("GET", "/manage/events", a.tenantEvents),
		a.tenantRoute("GET", "/manage/people", a.people),
		a.tenantRoute("GET", "/manage/people/{id}", a.person),
		a.tenantRoute("DELETE", "/manage/people/{id}", a.erasePerson),
		a.tenantRoute("POST", "/manage/people/{id}/move", a.movePerson),
		a.tenantRoute("GET", "/manage/appearance", a.appearance),
		a.tenantRoute("PATCH", "/manage/appearance", a.changeAppearance),
		a.tenantRoute("GET", "/manage/webhook", a.webhook),
		a.tenantRoute("POST", "/manage/webhook/enable", a.enableWebhook),
		a.tenantRoute("POST", "/manage/webhook/rotate", a.rotateWebhook),
		a.tenantRoute("POST", "/manage/webhook/ping", a.pingWebhook),
		a.tenantRoute("GET", "/manage/webhook/events", a.webhookEvents),
		a.tenantRoute("GET", "/manage/webhook/events/{eventId}", a.webhookEvent),
		a.tenantRoute("POST", "/manage/webhook/events/{eventId}/resend", a.resendWebhookEvent),
		{Method: "POST", Path: "/oauth2/token", Access: client, Handler: anyOrigin(a.open(&a.tokenBodies, a.token(http.StatusOK)))},
		preflight("/token", http.MethodPost),
		preflight("/oauth2/token", http.MethodPost),
		{Method: "POST", Path: "/oauth2/revoke", Access: client, Handler: anyOrigin(a.open(&a.tokenBodies, a.revoke))},
		preflight("/oauth2/revoke", http.MethodPost),
		{Method: "GET", Path: "/userinfo", Access: accessToken, Handler: anyOrigin(a.handle(a.userinfo))},
		{Method: "POST", Path: "/userinfo", Access: accessToken, Handler: anyOrigin(a.open(&a.tokenBodies, a.userinfo))},
		preflight("/userinfo", http.MethodGet+", "+http.MethodPost),
		{Method: "GET", Path: signOutPath, Access: idToken, Handler: a.handle(a.signOut)},
		{Method: "POST", Path: signOutPath, Access: idToken, Handler: a.open(&a.formBodies, a.signOut)},
		{Method: "POST", Path: "/oauth2/introspect", Access: client, Handler: a.open(&a.tokenBodies, a.introspect)},
		a.loginPoll("/authorize/events", a.events),
		a.loginPoll("/authorize/page", a.plain),
		a.loginRoute("/authorize/page", a.plainForm),
		a.loginPoll("/authorize/open", a.openLink),
		a.loginPoll("/authorize/again", a.tryAgain),
		a.loginPoll(login.ReturnPath, a.returnByForm),
		a.loginPoll("/authorize/details", a.details),
		a.loginPoll("/authorize/qr.svg", a.qr),
		a.openRoute(login.ShortPrefix+"{code}", a.short),
		a.openRoute("/waiting.html", a.waiting),
		a.openRoute("/logos/{hash}", a.logo),
		a.openRoute(signedOutPath, a.signedOut),
		a.openRoute("/terms", a.legal.Terms),
		a.openRoute("/privacy", a.legal.Privacy),
		a.openRoute("/docs/errors", a.reference.Errors),
		a.openRoute("/docs", a.book.Contents),
		a.openRoute("/docs/{page...}", a.bookPage),
		a.openRoute("/docs/reference", a.reference.Index),
		a.openRoute("/docs/reference/{name}", a.referencePage),
		{Method: "GET", Path: "/openapi.yaml", Access: httpx.Anyone, Handler: a.openapi},
		{Method: "GET", Path: "/" + web.ButtonScript, Access: httpx.Anyone, Handler: a.pages.Button(web.ButtonScript)},
		{Method: "GET", Path: "/" + web.ButtonStyle, Access: httpx.Anyone, Handler: a.pages.Button(web.ButtonStyle)},
		preflight("/.well-known/jwks.json", http.MethodGet),
		preflight("/.well-known/oauth-authorization-server", http.MethodGet),
		preflight("/.well-known/openid-configuration", http.MethodGet),
		preflight("/"+web.ButtonScript, http.MethodGet),
		preflight("/"+web.ButtonStyle, http.MethodGet),
		{Method: "GET", Path: "/static/", Access: httpx.Anyone, Handler: a.pages.Static(a.http.NotFound)},
	}
	if a.verifyOnPublic {
		routes = append(routes, a.Internal()...)
	}
	return routes
}

// Internal returns the table of endpoints for the internal listener.
func (a *API) Internal() []httpx.Route {
	return []httpx.Route{{Method: "POST", Path: "/internal/verify", Access: gatewaySignature, Handler: a.open(&a.internalBodies, a.verify)}}
}
