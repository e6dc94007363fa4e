package dashboard

import (
	"net/http"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/messaging/account"
	"griot/messaging/api"
	"griot/messaging/delivery"
	"griot/messaging/events"
	"griot/messaging/stats"
	"griot/web"
)

// Options are what the pages are made of.
type Options struct {
	API       *api.API
	DB        *db.DB
	Directory *account.Directory
	Engine    *delivery.Service
	Endpoints *events.Endpoints
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
}

// New returns the pages.
func New(o Options) (*Dashboard, error) {
	own, err := httpx.ParseOwn(o.URL)
	return &Dashboard{o: o, own: own, stats: &stats.Stats{DB: o.DB, Now: o.Now}}, err
}

// Addresses of pages.
const (
	homePath       = "/dashboard"
	signInPath     = api.SignInPath
	codePath       = signInPath + "/code"
	signOutPath    = "/dashboard/sign-out"
	invitationPath = "/dashboard/invitation"
	accountsPath   = "/dashboard/accounts/"
	logsPath       = "/dashboard/logs"
	messagesPath   = "/dashboard/messages/"
	sendPath       = "/dashboard/send"
)

// Routes is the table of pages.
func (d *Dashboard) Routes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: signInPath, Handler: d.open(d.showSignIn)},
		{Method: "POST", Path: signInPath, Handler: d.o.API.LimitUnauthenticated(d.requestCode)},
		{Method: "GET", Path: codePath, Handler: d.open(d.showCode)},
		{Method: "POST", Path: codePath, Handler: d.o.API.LimitUnauthenticated(d.signIn)},
		{Method: "POST", Path: signOutPath, Handler: d.person(d.signOut)},
		{Method: "GET", Path: invitationPath, Handler: d.person(d.showInvitations)},
		{Method: "POST", Path: invitationPath, Handler: d.person(d.acceptInvitation)},
		{Method: "POST", Path: accountsPath + "{id}", Handler: d.person(d.switchAccount)},
		{Method: "GET", Path: homePath, Handler: d.member(d.overview)},
		{Method: "GET", Path: homePath + "/{$}", Handler: http.RedirectHandler(homePath, http.StatusSeeOther)},
		{Method: "GET", Path: sendPath, Handler: d.member(d.showSend)},
		{Method: "POST", Path: sendPath, Handler: d.member(d.send)},
		{Method: "POST", Path: sendPath + "/preview", Handler: d.member(d.preview)},
		{Method: "GET", Path: logsPath, Handler: d.member(d.logs)},
		{Method: "GET", Path: messagesPath + "{messageId}", Handler: d.member(d.message)},
		{Method: "POST", Path: messagesPath + "{messageId}/cancel", Handler: d.member(d.cancel)},
	}
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

// member is a page of an account, for the roles that permit of messaging/api gives it to.
func (d *Dashboard) member(h func(http.ResponseWriter, *http.Request, *account.Caller) error) http.Handler {
	return d.open(func(w http.ResponseWriter, r *http.Request) error {
		c, err := d.o.API.Member(w, r)
		switch {
		case is(err, fault.AccountRequired) && reads(r):
			return seeOther(w, invitationPath)
		case err != nil:
			return d.unlessSignedOut(w, r, err)
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
		return seeOther(w, withNext(signInPath, r.URL.RequestURI()))
	}
	page := newSignIn(r, homePath)
	page.Ended = true
	return d.o.Pages.Serve(w, r, http.StatusUnauthorized, pageSignIn, page)
}
