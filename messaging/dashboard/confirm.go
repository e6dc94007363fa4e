package dashboard

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
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

// A confirmation is the page for a signed-in person whose last code is too old for an action. It first offers to mail
// a code, and then asks for the code.
type confirmation struct {
	Email  string
	Asked  bool   // a code was requested
	For    string // the address for which the code is valid, encrypted for the browser
	Action string
	Again  string // the page for requesting another code
	Wrong  string
	next   string

	Mailbox string // the page of the virtual mailbox that gets the code; empty: there is none
}

// unconfirmed returns the route of a page for a signed-in person without a recent code. If the person has a recent
// code, the route redirects to the original page.
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

// showConfirm handles GET /dashboard/confirm. It sends no mail, because not only people follow links.
func (d *Dashboard) showConfirm(w http.ResponseWriter, r *http.Request, _ *account.Session, page confirmation) error {
	d.sessions.Identify(w, r)
	return d.o.Pages.Serve(w, r, http.StatusOK, pageConfirm, page)
}

// mailConfirmCode handles POST /dashboard/confirm. It sends the code to the session's own address.
func (d *Dashboard) mailConfirmCode(w http.ResponseWriter, r *http.Request, s *account.Session, page confirmation) error {
	if _, err := d.sessions.RequestCode(w, r, s.Email); err != nil {
		return d.refuse(w, r, pageConfirm, &page, &page.Wrong, err)
	}
	return httpx.SeeOther(w, withNext(confirmCodePath, page.next))
}

// askForCode makes the page ask for the code.
func (d *Dashboard) askForCode(r *http.Request, c *confirmation) {
	c.Mailbox = d.mailbox(c.Email)
	c.Asked, c.Action, c.For = true, withNext(confirmCodePath, c.next), d.sessions.SealEmail(r, c.Email)
}

// showConfirmCode handles GET /dashboard/confirm/code.
func (d *Dashboard) showConfirmCode(w http.ResponseWriter, r *http.Request, _ *account.Session, page confirmation) error {
	d.askForCode(r, &page)
	return d.o.Pages.Serve(w, r, http.StatusOK, pageConfirm, page)
}

// confirm handles POST /dashboard/confirm/code. A new session in the same account replaces the previous one. If a
// browser sends the form twice, it has no session the second time, because the previous one has ended. Therefore, the
// form contains the address for which the code is valid.
func (d *Dashboard) confirm(w http.ResponseWriter, r *http.Request) error {
	s, refused := d.sessions.Find(w, r)
	if refused != nil && (access.ShowsKey(r) || !is(refused, apierror.Unauthorized)) {
		return d.unlessSignedOut(w, r, refused)
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
		return d.unlessSignedOut(w, r, refused)
	}
	w.Header().Del("WWW-Authenticate") // no one was refused yet
	page := newConfirmation(r, email)
	d.askForCode(r, &page)
	if _, err := d.sessions.SignIn(w, r, email, form.Get("code")); err != nil {
		return d.refuse(w, r, pageConfirm, &page, &page.Wrong, err)
	}
	return httpx.SeeOther(w, page.next)
}

// doneConfirmed is the message on a page after a code was entered. The form that the person had sent before had no effect.
const doneConfirmed = "confirmed"

// afterConfirm returns the address to continue at after a code was entered. For a page, it is the page's own address.
// For a form, which is not sent again automatically, it is the page with the form.
func (d *Dashboard) afterConfirm(r *http.Request) string {
	if reads(r) {
		return r.URL.RequestURI()
	}
	page := d.pageOfForm(r)
	q := page.Query()
	q.Set("done", doneConfirmed)
	return page.EscapedPath() + "?" + q.Encode()
}

// pageOfForm returns the page that a form was sent from, as reported by the browser, or otherwise the page closest to
// the form's address.
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
