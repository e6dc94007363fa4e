package dashboard

import (
	"net/http"
	"net/url"
	"slices"

	"example.com/griot/client/login"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/alerts"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/closing"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/pairing"
	"example.com/griot/messaging/sender"
	"example.com/griot/messaging/stats"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/web"
)

// Options contains the dependencies and settings of the pages.
type Options struct {
	HTTP      *httpx.API
	Sessions  *access.Service
	Changes   access.Handler // streams the changes of messages' statuses to a page
	Stats     *stats.Stats
	Directory *account.Directory
	Delivery  *delivery.Service
	Endpoints *webhooks.Endpoints
	OTP       *otp.Service
	Erasure   *erasure.Service
	OptOuts   *optout.Service
	Messages  *message.Reader
	Closing   *closing.Service
	Senders   *sender.Service
	Pairing   *pairing.Service
	Billing   *billing.Service
	Alerts    *alerts.Service
	Inbox     *inbox.Inbox
	Key       *seal.Key
	WhatsApp  *login.Client // for signing in by WhatsApp; nil: only by email
	Now       clock.Now
	Pages     *web.Pages
	URL       string // the base URL, without a slash at the end
	Contact   string // of the operator, an email address or a URL; empty: none
	Simulates bool   // all messages are simulated
	PhonesURL string // of the page of the virtual phones, which have the mailboxes; empty: none
	Tenants   string // the address of the tenants' dashboard; empty: unknown
}

// A Dashboard serves the pages.
type Dashboard struct {
	o        Options
	own      httpx.Own
	guard    *access.Guard
	sessions *access.Service
	seeds    *seal.Secret // for items that forms create: see [forms.Creation]
	box      *seal.Box    // for cookies between two pages of signing in by WhatsApp
	unsent   *forms.Keeper
}

// New returns a Dashboard.
func New(o Options) (*Dashboard, error) {
	own, err := httpx.ParseOwn(o.URL)
	d := &Dashboard{o: o, own: own, sessions: o.Sessions, box: o.Key.Box("dashboard-whatsapp"), seeds: o.Key.Secret("account-form")}
	d.guard = &access.Guard{Service: d.sessions, HTTP: o.HTTP, Refuse: d.refuseVisit}
	d.unsent = &forms.Keeper{
		Home: homePath, SignIn: signInPath, Box: o.Key.Box("account-unsent"), Signs: o.Key.Secret("account-unsent"), Now: o.Now,
		API: o.HTTP, Routes: d.Routes,
	}
	return d, err
}

const homePath = "/dashboard"

// Routes returns the table of pages. The routes of each group are in a separate file.
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

// member returns the route of an account's page, for the people in it that a permit includes. Pages
// do not accept keys.
func (d *Dashboard) member(method, path string, p account.Permit, h func(*visit) error) httpx.Route {
	return d.guard.Route(method, path, p.ForPeople(), func(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
		if d.o.Simulates {
			r = inTestMode(r)
		}
		return h(&visit{w: w, r: r, caller: c, lang: web.Language(r), mode: d.modeOf(r, c.Account)})
	})
}

// form returns the route of a form on an account's page. Only the fields in lists can have several values.
func (d *Dashboard) form(path string, p account.Permit, h func(*visit, url.Values) error, lists ...string) httpx.Route {
	return d.member("POST", path, p, func(v *visit) error {
		form, err := d.readForm(v.w, v.r, lists...)
		if err != nil {
			return err
		}
		return h(v, form)
	})
}

// refuseVisit redirects a person who cannot see a page to a place where they can resolve this: to sign in, join an
// account, enter a code, or contact the operator who has suspended their account.
func (d *Dashboard) refuseVisit(w http.ResponseWriter, r *http.Request, err error) error {
	switch {
	case is(err, apierror.AccountRequired) && reads(r):
		return httpx.SeeOther(w, invitationPath)
	case is(err, apierror.AccountSuspended):
		return d.showSuspended(w, r)
	case is(err, apierror.RecentCodeRequired):
		return httpx.SeeOther(w, withNext(confirmPath, d.afterConfirm(r)))
	}
	return d.unlessSignedOut(w, r, err)
}

// unlessSignedOut redirects a person who is not signed in to the sign-in page, which leads back afterward. A form is
// refused, and the response is a page on which they can sign in again.
func (d *Dashboard) unlessSignedOut(w http.ResponseWriter, r *http.Request, err error) error {
	switch {
	case !is(err, apierror.Unauthorized):
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
