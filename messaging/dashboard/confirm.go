package dashboard

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/session"
)

const (
	confirmPath     = "/dashboard/confirm"
	confirmCodePath = confirmPath + "/code"
)

func (d *Dashboard) confirmRoutes() []httpx.Route {
	return []httpx.Route{
		d.unconfirmed("GET", confirmPath, d.showConfirm),
		d.unconfirmed("POST", confirmPath, d.mailConfirmCode),
		d.unconfirmed("GET", confirmCodePath, d.showConfirmCode),
		d.guard.Anyone("POST", confirmCodePath, d.confirm),
	}
}

const pageConfirm = "dashboard_confirm" // confirmation

// confirmation is the page for who is signed in, and whose last code is too old for what they want to do. It first asks
// whether a code is to be mailed, and then for the code.
type confirmation struct {
	Email  string
	Asked  bool   // a code was asked for
	For    string // the address for which it is, sealed for the browser
	Action string
	Again  string // where another code is asked for
	Wrong  string
	next   string
}

// unconfirmed is a page for who is signed in, and has not given a code lately; who has goes where they wanted to.
func (d *Dashboard) unconfirmed(method, path string, h func(http.ResponseWriter, *http.Request, *account.Session, confirmation) error) httpx.Route {
	return d.guard.Person(method, path, func(w http.ResponseWriter, r *http.Request, s *account.Session) error {
		page := newConfirmation(r, s.Email)
		if s.HasRecentCode(d.o.Now()) {
			return httpx.SeeOther(w, page.next)
		}
		return h(w, r, s, page)
	})
}

func newConfirmation(r *http.Request, email string) confirmation {
	next := httpx.OwnPath(r.URL.Query().Get(nextParam), homePath)
	again := withNext(confirmPath, next)
	return confirmation{Email: email, Action: again, Again: again, next: next}
}

// showConfirm: GET /dashboard/confirm. It mails nothing, because others than people follow links, too.
func (d *Dashboard) showConfirm(w http.ResponseWriter, r *http.Request, _ *account.Session, page confirmation) error {
	d.sessions.Identify(w, r)
	return d.o.Pages.Serve(w, r, http.StatusOK, pageConfirm, page)
}

// mailConfirmCode: POST /dashboard/confirm. The code goes to the session's own address.
func (d *Dashboard) mailConfirmCode(w http.ResponseWriter, r *http.Request, s *account.Session, page confirmation) error {
	if _, err := d.sessions.RequestCode(w, r, s.Email); err != nil {
		return d.refuse(w, r, pageConfirm, &page, &page.Wrong, err)
	}
	return httpx.SeeOther(w, withNext(confirmCodePath, page.next))
}

// askForCode makes the page ask for the code.
func (d *Dashboard) askForCode(r *http.Request, c *confirmation) {
	c.Asked, c.Action, c.For = true, withNext(confirmCodePath, c.next), d.sessions.SealEmail(r, c.Email)
}

// showConfirmCode: GET /dashboard/confirm/code.
func (d *Dashboard) showConfirmCode(w http.ResponseWriter, r *http.Request, _ *account.Session, page confirmation) error {
	d.askForCode(r, &page)
	return d.o.Pages.Serve(w, r, http.StatusOK, pageConfirm, page)
}

// confirm: POST /dashboard/confirm/code. A new session takes the place of the one before, in the same account. A browser that
// sends the form twice has no session the second time: the one before has ended. The form says for whom the code is.
func (d *Dashboard) confirm(w http.ResponseWriter, r *http.Request) error {
	s, refusal := d.sessions.Find(w, r)
	if refusal != nil && (session.ShowsKey(r) || !is(refusal, fault.Unauthorized)) {
		return d.unlessSignedOut(w, r, refusal)
	}
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	email := d.sessions.Email(r, form.Get(forParam))
	switch {
	case s != nil && s.HasRecentCode(d.o.Now()):
		return httpx.SeeOther(w, newConfirmation(r, s.Email).next)
	case s != nil:
		email = s.Email
	case email == "":
		return d.unlessSignedOut(w, r, refusal)
	}
	w.Header().Del("WWW-Authenticate") // nobody was refused yet
	page := newConfirmation(r, email)
	d.askForCode(r, &page)
	if _, err := d.sessions.SignIn(w, r, email, form.Get("code")); err != nil {
		return d.refuse(w, r, pageConfirm, &page, &page.Wrong, err)
	}
	return httpx.SeeOther(w, page.next)
}

// doneConfirmed is what a page says to who comes back to it after a code: the form that they had sent has done nothing.
const doneConfirmed = "confirmed"

// afterConfirm returns where a request goes on after a code: a page at its own address; a form, which is not sent a second
// time by itself, at the page that it stands on.
func (d *Dashboard) afterConfirm(r *http.Request) string {
	if reads(r) {
		return r.URL.RequestURI()
	}
	page := d.pageOfForm(r)
	q := page.Query()
	q.Set("done", doneConfirmed)
	return page.EscapedPath() + "?" + q.Encode()
}

// pageOfForm returns the page that a form was sent from, as the browser names it, or else the closest one to the form's own
// address.
func (d *Dashboard) pageOfForm(r *http.Request) *url.URL {
	if u, err := url.Parse(r.Referer()); err == nil && u.Scheme+"://"+u.Host == d.own.URL && d.hasPage(u.Path) {
		return u
	}
	for p := r.URL.Path; httpx.Below(p, homePath); p = path.Dir(p) {
		if d.hasPage(p) {
			return &url.URL{Path: p}
		}
	}
	return &url.URL{Path: homePath}
}

// hasPage reports whether a page can be shown at a path.
func (d *Dashboard) hasPage(path string) bool {
	return slices.ContainsFunc(d.Routes(), func(r httpx.Route) bool {
		return r.Method == http.MethodGet && slices.EqualFunc(strings.Split(r.Path, "/"), strings.Split(path, "/"), func(pattern, part string) bool {
			return pattern == part || strings.HasPrefix(pattern, "{") && pattern != "{$}" && part != ""
		})
	})
}
