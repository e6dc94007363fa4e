package dashboard

import (
	"net/http"
	"slices"

	"example.com/griot/client/login"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/privacy"
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
	WhatsApp  func() *login.Client // signs people in by WhatsApp; it returns nil where nobody does
	Now       clock.Now
	Pages     *web.Pages
	URL       string // the base address, without a slash at its end
	Simulates bool   // every message is simulated
}

// Dashboard is the pages.
type Dashboard struct {
	o     Options
	own   httpx.Own
	stats *stats.Stats
	box   *seal.Box // of cookies between two pages of signing in by WhatsApp
}

// New returns the pages.
func New(o Options) (*Dashboard, error) {
	own, err := httpx.ParseOwn(o.URL)
	return &Dashboard{o: o, own: own, box: o.Key.Box("dashboard-whatsapp"), stats: &stats.Stats{DB: o.DB, Now: o.Now}}, err
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
		d.sendersRoutes(),
		d.pairingRoutes(),
		d.billingRoutes(),
		d.inboxRoutes(),
		d.settingsRoutes(),
		d.optOutsRoutes(),
		d.privacyRoutes(),
	)
}

// open is a page for everybody.
func (d *Dashboard) open(h httpx.HandlerFunc) http.Handler { return d.o.API.HTTP().Handle(h) }

// person is a page for who is signed in, in an account or not.
func (d *Dashboard) person(h func(http.ResponseWriter, *http.Request, *account.Session) error) http.Handler {
	return d.open(func(w http.ResponseWriter, r *http.Request) error {
		s, err := d.o.API.Session(w, r)
		if err != nil {
			return d.unlessSignedOut(w, r, err)
		}
		return h(w, r, s)
	})
}

// member is a page of an account, for the roles that permit of messaging/api gives it to. Where that takes a recent code,
// it leads to the page that mails one, and back.
func (d *Dashboard) member(h func(http.ResponseWriter, *http.Request, *account.Caller) error) http.Handler {
	return d.open(func(w http.ResponseWriter, r *http.Request) error {
		c, err := d.o.API.Member(w, r)
		switch {
		case is(err, fault.AccountRequired) && reads(r):
			return httpx.SeeOther(w, invitationPath)
		case is(err, fault.RecentCodeRequired):
			return httpx.SeeOther(w, withNext(confirmPath, d.afterConfirm(r)))
		case err != nil:
			return d.unlessSignedOut(w, r, err)
		}
		if d.o.Simulates {
			r = inTestMode(r)
		}
		return h(w, r, c)
	})
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
	page := d.newSignIn(r, homePath)
	page.Ended = true
	return d.o.Pages.Serve(w, r, http.StatusUnauthorized, pageSignIn, page)
}
