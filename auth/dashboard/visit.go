package dashboard

import (
	"encoding/json"
	"net/http"
	"net/url"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/book"
)

// visit is a request of a signed-in user.
type visit struct {
	tenant *tenant.Tenant
	token  string // of the session
	lang   i18n.Lang
}

type visitHandler func(w http.ResponseWriter, r *http.Request, v *visit) error

// tenantSession is the access rule of the pages.
const tenantSession = httpx.Callers("a tenant, by the session of its dashboard")

// page returns the route of a page for a tenant.
func (d *Dashboard) page(path string, next visitHandler) httpx.Route {
	return httpx.Route{Method: http.MethodGet, Path: path, Access: tenantSession, Handler: d.signedIn(next)}
}

// form returns the route of a tenant's form, which a page of this service has sent.
func (d *Dashboard) form(path string, next visitHandler) httpx.Route {
	return httpx.Route{Method: http.MethodPost, Path: path, Access: tenantSession, Handler: d.sameOrigin(d.signedIn(next))}
}

// anyone handles a request without a session.
func (d *Dashboard) anyone(next httpx.HandlerFunc) http.Handler {
	return d.HTTP.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return next(w, d.HTTP.WithActor(w, r, actor.Actor{Type: actor.System}))
	})
}

// signedIn requires a session and redirects to the sign-in page without one.
func (d *Dashboard) signedIn(next visitHandler) http.Handler {
	return d.HTTP.Handle(func(w http.ResponseWriter, r *http.Request) error {
		v, err := d.visit(r)
		if err != nil {
			return err
		}
		if v == nil {
			if kept, err := d.unsent.Refused(w, r); kept || err != nil {
				return err
			}
			back := url.Values{}
			if r.Method == http.MethodGet && r.URL.Path != Home {
				back.Set("next", r.URL.RequestURI())
			}
			return httpx.SeeOther(w, httpx.WithQuery(signInPath, back))
		}
		r = d.HTTP.WithActor(w, r, actor.Actor{Type: actor.Tenant})
		v.lang = web.Language(r)
		return next(w, r, v)
	})
}

// showUnsent shows a form whose session had ended.
func (d *Dashboard) showUnsent(w http.ResponseWriter, r *http.Request, v *visit) error {
	return d.unsent.Show(w, r, v.tenant.ID, nil)
}

// sameOrigin refuses requests of pages of other sites.
func (d *Dashboard) sameOrigin(next http.Handler) http.Handler {
	return d.HTTP.RequireOrigin(d.Own.URL, apierror.AuthOriginMismatch, next)
}

// visit returns the session of a request; nil if it has none.
func (d *Dashboard) visit(r *http.Request) (*visit, error) {
	v, _, err := httpx.OneOf(Cookie(d.Own.Secure).Tokens(r), func(token string) (*visit, bool, error) {
		t, err := d.Tenants.Dashboard(r.Context(), token)
		return &visit{tenant: t, token: token}, t != nil, err
	})
	return v, err
}

// once is the content that the page after a form shows once.
type once struct {
	Done   string `json:"done,omitempty"` // key of the sentence that confirms the action
	Wrong  string `json:"-"`              // key of the sentence that explains the refusal of the form
	Secret string `json:"secret,omitempty"`
}

// done redirects from a form to a page, which shows the given content once.
func (d *Dashboard) done(w http.ResponseWriter, v *visit, path string, shown once) error {
	text, err := json.Marshal(shown) //nolint:gosec // it is sealed
	if err != nil {
		return err
	}
	d.flash.Set(w, v.token, string(text))
	return httpx.SeeOther(w, path)
}

// taken returns the content that the previous form left to be shown once.
func (d *Dashboard) taken(w http.ResponseWriter, r *http.Request, v *visit) once {
	var shown once
	if text := d.flash.Take(w, r, v.token); text != "" && json.Unmarshal([]byte(text), &shown) != nil {
		return once{}
	}
	return shown
}

// show responds with a page within the dashboard.
func (d *Dashboard) show(w http.ResponseWriter, r *http.Request, v *visit, status int, page string, shown once, data any) error {
	return d.Pages.ServeApp(w, r, status, page, d.shell(r, v, shown), data)
}

// shell returns the frame around a page.
func (d *Dashboard) shell(r *http.Request, v *visit, shown once) *web.Shell {
	item := func(path, label, icon string) web.NavItem {
		return web.NavItem{URL: path, Label: v.lang.T(label), Icon: icon, Current: r.URL.Path == path || path != Home && httpx.Below(r.URL.Path, path)}
	}
	s := &web.Shell{
		Service: v.lang.T("tenant.service"), Home: Home, Account: v.tenant.Name, Person: v.tenant.ID, SignOut: signOutPath, Now: d.Now(), FormMark: d.unsent.Mark(r, v.tenant.ID, ""),
		Nav: []web.NavGroup{
			{Items: []web.NavItem{item(Home, "tenant.nav.home", "home"), item(clientsPath, "tenant.nav.clients", "key"), item(peoplePath, "tenant.people.title", "people"), item(eventsPath, "tenant.nav.events", "list")}},
			{Title: v.lang.T("tenant.nav.settings"), Items: []web.NavItem{item(domainsPath, "tenant.domains.title", "shield"), item(webhookPath, "tenant.webhook.title", "webhook"), item(appearancePath, "tenant.appearance.title", "eye")}},
			{Title: v.lang.T("tenant.nav.help"), Items: []web.NavItem{{URL: book.Home, Label: v.lang.T("book.title"), Icon: "book"}, item("/docs/reference", "tenant.nav.reference", "code"), item("/docs/errors", "tenant.nav.errors", "document")}},
		},
	}
	if shown.Done != "" {
		s.Done = v.lang.T(shown.Done)
	}
	if shown.Wrong != "" {
		s.Wrong = v.lang.T(shown.Wrong)
	}
	return s
}
