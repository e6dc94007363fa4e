package dashboard

import (
	"net/http"
	"net/url"
	"slices"

	"example.com/griot/client/login"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/unsent"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/privacy"
	"example.com/griot/messaging/session"
	"example.com/griot/messaging/stats"
	"example.com/griot/web"
)

// Options are what the pages are made of.
type Options struct {
	API       *api.API
	DB        *db.DB
	Directory *account.Directory
	Engine    *delivery.Service
	Endpoints *events.Endpoints
	OTP       *otp.Service
	People    *privacy.Service
	Inbox     *inbox.Inbox
	Key       *seal.Key
	WhatsApp  *login.Client // signs people in by WhatsApp; nil: they sign in by email only
	Now       clock.Now
	Pages     *web.Pages
	URL       string // the base address, without a slash at its end
	Contact   string // the operator's, an email address or the address of a page; empty: none
	Simulates bool   // every message is simulated
}

// Dashboard is the pages.
type Dashboard struct {
	o        Options
	own      httpx.Own
	guard    *session.Guard
	sessions *session.Service
	stats    *stats.Stats
	seeds    *seal.Secret // of what forms make: see package resubmit
	box      *seal.Box    // of cookies between two pages of signing in by WhatsApp
	unsent   *unsent.Keeper
}

// New returns the pages.
func New(o Options) (*Dashboard, error) {
	own, err := httpx.ParseOwn(o.URL)
	d := &Dashboard{o: o, own: own, sessions: o.API.Sessions(), box: o.Key.Box("dashboard-whatsapp"), seeds: o.Key.Secret("account-form"), stats: &stats.Stats{DB: o.DB, Now: o.Now}}
	d.guard = &session.Guard{Service: d.sessions, HTTP: o.API.HTTP(), Refuse: d.refuseVisit}
	d.unsent = &unsent.Keeper{
		Home: homePath, SignIn: signInPath, Box: o.Key.Box("account-unsent"), Signs: o.Key.Secret("account-unsent"), Now: o.Now,
		API: o.API.HTTP(), Bodies: d.sessions.Bodies(), Lang: web.Language, Routes: d.Routes,
	}
	return d, err
}

const homePath = "/dashboard"

// Routes is the table of pages: each group stands in its own file.
func (d *Dashboard) Routes() []httpx.Route {
	return slices.Concat(
		d.signInRoutes(),
		d.signUpRoutes(),
		d.whatsAppRoutes(),
		d.confirmRoutes(),
		d.overviewRoutes(),
		d.sendRoutes(),
		d.logsRoutes(),
		d.codesRoutes(),
		d.teamRoutes(),
		d.activityRoutes(),
		d.keysRoutes(),
		d.projectsRoutes(),
		d.webhooksRoutes(),
		d.requestsRoutes(),
		d.sendersRoutes(),
		d.pairingRoutes(),
		d.billingRoutes(),
		d.inboxRoutes(),
		d.settingsRoutes(),
		d.optOutsRoutes(),
		d.privacyRoutes(),
	)
}

// member is a page of an account, for those in it whom a permit of the JSON API includes: pages take no keys.
func (d *Dashboard) member(method, path string, p session.Permit, h func(*visit) error) httpx.Route {
	p.Keys = 0
	return d.guard.Route(method, path, p, func(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
		if d.o.Simulates {
			r = inTestMode(r)
		}
		return h(&visit{w: w, r: r, caller: c, lang: web.Language(r), mode: modeOf(r, c.Account)})
	})
}

// form is the route of a form of an account's page. Only the fields that lists names may have several values.
func (d *Dashboard) form(path string, p session.Permit, h func(*visit, url.Values) error, lists ...string) httpx.Route {
	return d.member("POST", path, p, func(v *visit) error {
		form, err := d.readForm(v.w, v.r, lists...)
		if err != nil {
			return err
		}
		return h(v, form)
	})
}

// refuseVisit leads who may not see a page to where they can do something about it: sign in, join an account, give a code, or
// write to the operator who has suspended their account.
func (d *Dashboard) refuseVisit(w http.ResponseWriter, r *http.Request, err error) error {
	switch {
	case is(err, fault.AccountRequired) && reads(r):
		return httpx.SeeOther(w, invitationPath)
	case is(err, fault.AccountSuspended):
		return d.showSuspended(w, r)
	case is(err, fault.RecentCodeRequired):
		return httpx.SeeOther(w, withNext(confirmPath, d.afterConfirm(r)))
	}
	return d.unlessSignedOut(w, r, err)
}

// unlessSignedOut leads who is not signed in to where they sign in, and back. What they wanted to change is refused, and
// the answer is the page on which they sign in again.
func (d *Dashboard) unlessSignedOut(w http.ResponseWriter, r *http.Request, err error) error {
	switch {
	case !is(err, fault.Unauthorized):
		return err
	case reads(r):
		return httpx.SeeOther(w, withNext(signInPath, r.URL.RequestURI()))
	}
	if kept, err := d.unsent.Refused(w, r); kept || err != nil {
		return err
	}
	page := d.newSignIn(r, homePath)
	page.Ended = true
	return d.o.Pages.Serve(w, r, http.StatusUnauthorized, pageSignIn, page)
}
