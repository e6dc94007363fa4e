package dashboard

import (
	"net/http"
	"net/url"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const (
	signInPath     = access.PagePath + "/sign-in"
	codePath       = signInPath + "/code"
	signOutPath    = "/dashboard/sign-out"
	invitationPath = "/dashboard/invitation"
	accountsPath   = "/dashboard/accounts/"
)

func (d *Dashboard) signInRoutes() []httpx.Route {
	return []httpx.Route{
		d.guard.Anyone("GET", signInPath, d.showSignIn),
		d.guard.Anyone("POST", signInPath, d.unsent.Through(d.requestCode)),
		d.guard.Anyone("GET", codePath, d.showCode),
		d.guard.Anyone("POST", codePath, d.unsent.Through(d.signIn)),
		d.guard.Person("POST", signOutPath, d.signOut),
		d.guard.Anyone("GET", invitationPath, d.showInvitations),
		d.guard.Anyone("POST", invitationPath, d.acceptInvitation),
		d.guard.Person("POST", accountsPath+"{id}", d.switchAccount),
		d.guard.Person("POST", homePath+forms.KeptPath, d.showUnsent),
	}
}

// The pages for signing in.
const (
	pageSignIn = "dashboard_sign_in" // signIn
	pageCode   = "dashboard_code"    // signIn
)

// signIn is the page that asks for an address, and the page that asks for the code.
type signIn struct {
	Next   string // contained in the form's own address
	Email  string
	For    string // the address for which the code is valid, encrypted for the browser
	Wrong  string // the error in the address or in the code
	Ended  bool   // the session of a form has ended
	Closed bool   // the person has closed their account
	Action string
	Back   string // the page for entering another address

	Mailbox string // the page of the virtual mailbox that gets the code; empty: there is none
	Tenants string // the tenants' dashboard; empty: unknown
	Open    bool   // everyone can sign up

	WhatsApp string // the start of signing in by WhatsApp; empty: not available
	Problem  string // the reason why that has failed
}

func (d *Dashboard) newSignIn(r *http.Request, next string) signIn {
	if next == "" {
		next = r.URL.Query().Get(nextParam)
	}
	next = httpx.OwnPath(next, homePath)
	return signIn{
		Next: next, Action: withNext(signInPath, next), Back: withNext(signInPath, next),
		Open: d.o.Directory.Signup == account.SignupOpen, Tenants: d.o.Tenants,
	}
}

// showSignIn handles GET /dashboard/sign-in.
func (d *Dashboard) showSignIn(w http.ResponseWriter, r *http.Request) error {
	page := d.newSignIn(r, "")
	page.Closed = r.URL.Query().Has(closedParam)
	if s, err := d.sessions.Find(w, r); err == nil && s != nil {
		return httpx.SeeOther(w, page.Next)
	}
	w.Header().Del("WWW-Authenticate") // no one was refused
	page.Problem = whatsAppProblem(r)
	d.offerWhatsApp(&page)
	d.sessions.Identify(w, r)
	return d.o.Pages.Serve(w, r, http.StatusOK, pageSignIn, page)
}

// requestCode handles POST /dashboard/sign-in. The response does not depend on whether the address is known.
func (d *Dashboard) requestCode(w http.ResponseWriter, r *http.Request) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	page := d.newSignIn(r, "")
	page.Email = form.Get("email")
	d.offerWhatsApp(&page)
	sealed, err := d.sessions.RequestCode(w, r, page.Email)
	if err != nil {
		return d.refuse(w, r, pageSignIn, &page, &page.Wrong, err)
	}
	return httpx.SeeOther(w, codeURL(page.Next, sealed))
}

// forParam contains the address for which a code is valid. It is encrypted for the browser, because logs contain
// URLs. It is in the URL because two tabs can have codes for different addresses.
const forParam = "for"

func codeURL(next, sealed string) string {
	q := url.Values{forParam: {sealed}}
	if next != homePath {
		q.Set(nextParam, next)
	}
	return httpx.WithQuery(codePath, q)
}

// newCode returns the page that asks for the code. Its Email is empty if the encrypted address belongs to another browser.
func (d *Dashboard) newCode(r *http.Request, sealed string) signIn {
	page := d.newSignIn(r, "")
	page.Action, page.For, page.Email = codeURL(page.Next, sealed), sealed, d.sessions.Email(r, sealed)
	page.Mailbox = d.mailbox(page.Email)
	return page
}

// mailbox returns the page of a virtual mailbox; empty if there are none.
func (d *Dashboard) mailbox(email string) string {
	if d.o.PhonesURL == "" || email == "" {
		return d.o.PhonesURL
	}
	return httpx.WithQuery(d.o.PhonesURL, url.Values{"phone": {email}})
}

// showCode handles GET /dashboard/sign-in/code.
func (d *Dashboard) showCode(w http.ResponseWriter, r *http.Request) error {
	page := d.newCode(r, r.URL.Query().Get(forParam))
	if page.Email == "" {
		return httpx.SeeOther(w, page.Back)
	}
	return d.o.Pages.Serve(w, r, http.StatusOK, pageCode, page)
}

// signIn handles POST /dashboard/sign-in/code.
func (d *Dashboard) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	page := d.newCode(r, form.Get(forParam))
	if page.Email == "" {
		return httpx.SeeOther(w, page.Back)
	}
	if _, err := d.sessions.SignIn(w, r, page.Email, form.Get("code")); err != nil {
		return d.refuse(w, r, pageCode, &page, &page.Wrong, err)
	}
	return httpx.SeeOther(w, page.Next)
}

// refuse shows the page of a form again, with the error.
func (d *Dashboard) refuse(w http.ResponseWriter, r *http.Request, name string, page any, wrong *string, err error) error {
	e, ok := refusal(err)
	if !ok {
		return err
	}
	httpx.SetRetryAfter(w.Header(), e.RetryAfter)
	*wrong = explain(web.Language(r), e)
	return d.o.Pages.Serve(w, r, e.Kind.Status, name, page)
}

// showUnsent handles POST /dashboard/unsent. It shows a form whose session had ended, in the account of the form.
func (d *Dashboard) showUnsent(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	return d.unsent.Show(w, r, s.Email, func(id string) (bool, error) { return d.o.Directory.SwitchAccount(r.Context(), s, id) })
}

// signOut handles POST /dashboard/sign-out.
func (d *Dashboard) signOut(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	if err := d.sessions.SignOut(w, r, s); err != nil {
		return err
	}
	return httpx.SeeOther(w, signInPath)
}

// switchAccount handles POST /dashboard/accounts/:id.
func (d *Dashboard) switchAccount(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	found, err := d.o.Directory.SwitchAccount(r.Context(), s, r.PathValue("id"))
	switch {
	case is(err, apierror.RecentCodeRequired): // the account does not allow sign-in by WhatsApp
		return httpx.SeeOther(w, confirmPath)
	case err != nil:
		return err
	}
	if !found {
		return apierror.AccountNotFound.Err()
	}
	return httpx.SeeOther(w, homePath)
}

// accountURL returns the address to which a POST switches to an account.
func accountURL(id string) string { return accountsPath + url.PathEscape(id) }

// roleName returns the name of a role in a language.
func roleName(lang i18n.Lang, role account.Role) string {
	return lang.Named("dashboard.role_", string(role))
}
