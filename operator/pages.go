package operator

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	"example.com/griot/web"
)

// Home is the path of the pages.
const Home = "/operator"

// The addresses of the pages.
const (
	openPath    = "/" // target of links
	signInPath  = Home + "/sign-in"
	signOutPath = Home + "/sign-out"
)

// Options are the dependencies of the pages.
type Options struct {
	Verbs func() verb.Verbs // of the services
	Pages *web.Pages
	Key   *seal.Key // seals forms whose session has ended
	Now   clock.Now
	Log   *slog.Logger
	// Record stores an audit event of the operator: the start or the end of a session.
	Record  func(ctx context.Context, action, sessionID string) error
	Metrics *metrics.Service // counts requests; nil: not counted
	// Check runs the checks of `griot doctor` that the server can run on itself. It returns in bounded time. If it is
	// nil, the page of the health shows no findings.
	Check func(ctx context.Context) doctor.Report
	Docs  string // address of the documentation; empty: findings don't link to it

	// Accounts and Tenants are the addresses of the dashboards where everyone else signs in; empty: unknown.
	Accounts, Tenants string
}

// Pages are the operator's pages. They are safe for concurrent use.
type Pages struct {
	o         Options
	http      *httpx.API
	sessions  *sessions
	resources []*resource
	unsent    *forms.Keeper
	checks    *checks
}

// New returns the pages.
func New(o Options) *Pages {
	p := &Pages{o: o, sessions: newSessions(o.Now), resources: newResources(), checks: &checks{run: o.Check, now: o.Now}}
	p.http = &httpx.API{Write: p.writeError, SecureRedirect: web.Secure, Lang: web.Language, Kinds: kinds, Log: o.Log, Now: o.Now, Metrics: o.Metrics}
	p.unsent = &forms.Keeper{
		Home: Home, SignIn: openPath, Box: o.Key.Box("operator-unsent"), Signs: o.Key.Secret("operator-unsent"), Now: o.Now,
		API: p.http, Routes: p.Routes,
	}
	return p
}

// Verbs returns the verb with which `griot admin open` gets the token of a link.
func (p *Pages) Verbs() verb.Verbs {
	return verb.Bind(p, verb.Verbs{verb.Define("pages.open", "Create a link to the operator's pages", verb.Changes, (*Pages).newLink).As("")}, nil)
}

// Link opens the pages once.
type Link struct {
	Token   string `json:"token" row:"token,once"` // for the fragment of the URL
	Seconds int    `json:"seconds"`
}

// Nothing is the input of a verb without parameters.
type Nothing struct{}

func (p *Pages) newLink(context.Context, *Nothing) (Link, error) {
	return Link{Token: p.sessions.newLink(), Seconds: int(linkTime.Seconds())}, nil
}

// Routes returns the table of the pages and their files.
func (p *Pages) Routes() []httpx.Route {
	routes := slices.Concat([]httpx.Route{
		{Method: "GET", Path: openPath + "{$}", Access: httpx.Anyone, Handler: p.http.Handle(p.openPage)},
		{Method: "POST", Path: signInPath, Access: httpx.Anyone, Handler: p.sameOrigin(p.http.Handle(p.unsent.Through(p.signIn)))},
		{Method: "POST", Path: signOutPath, Handler: p.form(p.signOut)},
		{Method: "POST", Path: Home + forms.KeptPath, Handler: p.form(p.showUnsent)},
		{Method: "GET", Path: "/static/", Access: httpx.Anyone, Handler: p.o.Pages.Static(p.http.NotFound)},
	}, p.healthRoutes(), p.resourceRoutes(), p.prefixesRoutes(),
		p.signingRoutes(), p.lookupRoutes())
	for i := range routes {
		if routes[i].Access == nil { // those of page and form
			routes[i].Access = operatorSession
		}
	}
	return routes
}

const operatorSession = httpx.Callers("an operator, by the session of a link")

// Handler serves the pages to this machine.
func (p *Pages) Handler() http.Handler { return p.ownMachine(p.http.Handler(p.Routes())) }

// Paths returns the patterns of [Pages.Handler] on the internal listener.
func Paths() []string { return []string{"GET " + openPath + "{$}", Home, Home + "/", "/static/"} }

var kinds = httpx.Kinds{
	JSON:        kind("malformed", http.StatusBadRequest, "The body can't be read."),
	Member:      kind("malformed", http.StatusBadRequest, "The request can't be read."),
	MediaType:   kind("malformed", http.StatusUnsupportedMediaType, "The body isn't a form."),
	TooLarge:    kind("too_large", http.StatusRequestEntityTooLarge, "The body is too large."),
	Busy:        kind("busy", http.StatusServiceUnavailable, "The server is busy."),
	NotFound:    kind("not_found", http.StatusNotFound, "The page doesn't exist."),
	Method:      kind("method", http.StatusMethodNotAllowed, "This address doesn't support the method."),
	Internal:    kind("internal", http.StatusInternalServerError, "The server failed. Its log shows the reason."),
	Unavailable: kind("unavailable", http.StatusServiceUnavailable, "The server's database doesn't respond."),
}

var (
	errForeignOrigin = kind("origin_mismatch", http.StatusForbidden, "The form wasn't sent from these pages.")
	errForeignHost   = kind("not_this_machine", http.StatusMisdirectedRequest, "Open these pages on the server's machine at its loopback address: 127.0.0.1, [::1], or localhost.")
)

func kind(code string, status int, text string) *apierror.Kind {
	return &apierror.Kind{Code: code, Status: status, Text: text}
}

func (p *Pages) writeError(w http.ResponseWriter, r *http.Request, e *apierror.Error) {
	err := p.o.Pages.Serve(w, r, e.Kind.Status, web.PageError, web.Failure{Status: e.Kind.Status, Code: e.Kind.Code, Description: e.Text(), RequestID: httpx.RequestID(w), Dashboard: Home})
	if err != nil {
		p.o.Log.Error("page failed", "page", web.PageError, "err", err)
	}
}
