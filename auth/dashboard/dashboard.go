package dashboard

import (
	"net/http"
	"slices"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/web"
)

// Home is the path of the dashboard.
const Home = "/dashboard"

// The addresses of the pages.
const (
	signInPath  = Home + "/sign-in"
	signOutPath = Home + "/sign-out"
	clientsPath = Home + "/clients"
	eventsPath  = Home + "/events"
)

// Options are the dependencies and settings of the dashboard.
type Options struct {
	HTTP    *httpx.API
	Own     httpx.Own
	Pages   *web.Pages
	Key     *seal.Key
	Now     clock.Now
	Tenants *tenant.Store
	Logins  *login.Service
	// Endpoints are the tenants' webhook endpoints.
	Endpoints *webhooks.Endpoints
	// Clients are the clients' settings for sign-out.
	Clients *logout.Clients
	// LimitSignIn refuses a sign-in from an address that has tried too often.
	LimitSignIn func(*http.Request) error
	Accounts    string         // the address of the accounts' dashboard; empty: unknown
	Bodies      *intake.Budget // the memory for sign-in forms; forms whose session has ended have their own
}

// Dashboard is the tenants' dashboard. It is safe for concurrent use.
type Dashboard struct {
	Options
	flash  httpx.Flash
	seeds  *seal.Secret // for the objects that a form creates; see [forms.Creation]
	unsent *forms.Keeper
	// uploads limits the forms with a file, for each tenant.
	uploads *limit.Limiter
}

// New returns the dashboard.
func New(o Options) *Dashboard {
	flash := httpx.Flash{Name: "svc_dashboard_flash", Path: Home, Secure: o.Own.Secure, Box: o.Key.Box("dashboard-flash")}
	d := &Dashboard{Options: o, flash: flash, seeds: o.Key.Secret("dashboard-form"), uploads: limit.New(o.Now, maxUploads, time.Minute, maxUploads)}
	d.unsent = &forms.Keeper{
		Home: Home, SignIn: signInPath, Box: o.Key.Box("dashboard-unsent"), Signs: o.Key.Secret("dashboard-unsent"), Now: o.Now,
		API: o.HTTP, Routes: d.Routes,
	}
	return d
}

// Cookie returns the cookie of a dashboard's session.
func Cookie(secure bool) httpx.TokenCookie {
	return httpx.TokenCookie{Name: "svc_dashboard", Secure: secure}
}

// Routes returns the table of the pages.
func (d *Dashboard) Routes() []httpx.Route {
	return slices.Concat([]httpx.Route{
		d.page(Home, d.home),
		{Method: "GET", Path: signInPath, Access: httpx.Anyone, Handler: d.anyone(d.signInPage)},
		{Method: "POST", Path: signInPath, Access: httpx.Anyone, Handler: d.sameOrigin(d.HTTP.LimitUnauthenticated(d.Bodies, d.anyone(d.unsent.Through(d.signIn))))},
		d.form(signOutPath, d.signOut),
		d.form(Home+forms.KeptPath, d.showUnsent),
		d.page(eventsPath, d.events),
		d.page(clientsPath, d.clients),
		d.form(clientsPath, d.createClient),
		d.page(clientsPath+"/new", d.newClient),
		d.page(clientsPath+"/{id}", d.ofClient(d.client)),
		d.form(clientsPath+"/{id}", d.ofClient(d.describeClient)),
		d.form(clientsPath+"/{id}/connect", d.ofClient(d.changeConnect)),
		d.form(clientsPath+"/{id}/switch", d.ofClient(d.switchClient)),
		d.form(clientsPath+"/{id}/rotate", d.ofClient(d.rotateClient)),
	}, d.peopleRoutes(), d.domainRoutes(), d.webhookRoutes(), d.appearanceRoutes())
}
