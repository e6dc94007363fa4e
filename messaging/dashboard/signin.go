package dashboard

import (
	"encoding/base64"
	"net/http"
	"net/url"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/session"
	"example.com/griot/web"
)

const (
	signInPath     = session.PagePath + "/sign-in"
	codePath       = signInPath + "/code"
	signOutPath    = "/dashboard/sign-out"
	invitationPath = "/dashboard/invitation"
	accountsPath   = "/dashboard/accounts/"
)

func (d *Dashboard) signInRoutes() []httpx.Route {
	return []httpx.Route{
		d.guard.Anyone("GET", signInPath, d.showSignIn),
		d.guard.Anyone("POST", signInPath, d.requestCode),
		d.guard.Anyone("GET", codePath, d.showCode),
		d.guard.Anyone("POST", codePath, d.signIn),
		d.guard.Person("POST", signOutPath, d.signOut),
		d.guard.Anyone("GET", invitationPath, d.showInvitations),
		d.guard.Anyone("POST", invitationPath, d.acceptInvitation),
		d.guard.Person("POST", accountsPath+"{id}", d.switchAccount),
	}
}

// The pages of signing in.
const (
	pageSignIn = "dashboard_sign_in" // signIn
	pageCode   = "dashboard_code"    // signIn
)

// signIn is the page that asks for an address, and the page that asks for the code.
type signIn struct {
	Next           string // the form's own address has it
	Email          string
	Wrong          string // what was wrong with the address, or with the code
	Ended          bool   // the session of a form had ended
	Closed         bool   // the person has closed their account
	Action         string
	Back           string // to another address
	Open           bool   // everybody may sign up
	Terms, Privacy string

	WhatsApp string // where signing in by WhatsApp begins; empty: it is not there
	Problem  string // why that has not worked
}

func (d *Dashboard) newSignIn(r *http.Request, next string) signIn {
	if next == "" {
		next = r.URL.Query().Get(nextParam)
	}
	next = httpx.OwnPath(next, homePath)
	return signIn{
		Next: next, Action: withNext(signInPath, next), Back: withNext(signInPath, next),
		Open: d.o.Directory.Signup == account.SignupOpen, Terms: publicTermsPath, Privacy: publicPrivacyPath,
	}
}

// showSignIn: GET /dashboard/sign-in.
func (d *Dashboard) showSignIn(w http.ResponseWriter, r *http.Request) error {
	page := d.newSignIn(r, "")
	page.Closed = r.URL.Query().Has(closedParam)
	if s, err := d.sessions.Find(w, r); err == nil && s != nil {
		return httpx.SeeOther(w, page.Next)
	}
	w.Header().Del("WWW-Authenticate") // nothing was refused
	page.Problem = whatsAppProblem(r)
	d.offerWhatsApp(&page)
	return d.o.Pages.Serve(w, r, http.StatusOK, pageSignIn, page)
}

// requestCode: POST /dashboard/sign-in. The answer is the same whether the address is known or not.
func (d *Dashboard) requestCode(w http.ResponseWriter, r *http.Request) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	page := d.newSignIn(r, "")
	page.Email = form.Get("email")
	if err := d.sessions.RequestCode(w, r, page.Email); err != nil {
		return d.refuse(w, r, pageSignIn, page, err)
	}
	d.emailCookie().Set(w, base64.RawURLEncoding.EncodeToString([]byte(account.NormalEmail(page.Email))), int(account.CodeTime.Seconds()))
	return httpx.SeeOther(w, withNext(codePath, page.Next))
}

// emailCookie remembers between two pages who signs in: an address is not for URLs, which logs keep.
func (d *Dashboard) emailCookie() httpx.TokenCookie {
	return httpx.TokenCookie{Name: "svc_sign_in", Path: signInPath, Secure: d.own.Secure, Host: true}
}

func (d *Dashboard) emailOf(r *http.Request) string {
	email, err := base64.RawURLEncoding.DecodeString(d.emailCookie().Value(r))
	if err != nil || !message.IsEmail(string(email)) {
		return ""
	}
	return string(email)
}

// showCode: GET /dashboard/sign-in/code.
func (d *Dashboard) showCode(w http.ResponseWriter, r *http.Request) error {
	page := d.newSignIn(r, "")
	page.Action, page.Email = withNext(codePath, page.Next), d.emailOf(r)
	if page.Email == "" {
		return httpx.SeeOther(w, page.Back)
	}
	return d.o.Pages.Serve(w, r, http.StatusOK, pageCode, page)
}

// signIn: POST /dashboard/sign-in/code.
func (d *Dashboard) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	page := d.newSignIn(r, "")
	page.Action, page.Email = withNext(codePath, page.Next), d.emailOf(r)
	if page.Email == "" {
		return httpx.SeeOther(w, page.Back)
	}
	if _, err := d.sessions.SignIn(w, r, page.Email, form.Get("code")); err != nil {
		return d.refuse(w, r, pageCode, page, err)
	}
	d.emailCookie().Clear(w)
	return httpx.SeeOther(w, page.Next)
}

// refuse shows the page again, with what was wrong.
func (d *Dashboard) refuse(w http.ResponseWriter, r *http.Request, name string, page signIn, err error) error {
	e, ok := isRefusal(err)
	if !ok {
		return err
	}
	httpx.SetRetryAfter(w.Header(), e.RetryAfter)
	page.Wrong = explain(web.Language(r), e)
	return d.o.Pages.Serve(w, r, e.Kind.Status, name, page)
}

// signOut: POST /dashboard/sign-out.
func (d *Dashboard) signOut(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	if err := d.sessions.SignOut(w, r, s); err != nil {
		return err
	}
	return httpx.SeeOther(w, signInPath)
}

// switchAccount: POST /dashboard/accounts/:id.
func (d *Dashboard) switchAccount(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	found, err := d.o.Directory.SwitchAccount(r.Context(), s, r.PathValue("id"))
	switch {
	case is(err, fault.RecentCodeRequired): // the account lets nobody in by WhatsApp
		return httpx.SeeOther(w, confirmPath)
	case err != nil:
		return err
	}
	if !found {
		return fault.AccountNotFound.Err()
	}
	return httpx.SeeOther(w, homePath)
}

// accountURL is where a POST changes to an account.
func accountURL(id string) string { return accountsPath + url.PathEscape(id) }

// roleName names a role in a language.
func roleName(lang i18n.Lang, role account.Role) string {
	switch role {
	case account.RoleOwner:
		return lang.T("dashboard.role.owner")
	case account.RoleDeveloper:
		return lang.T("dashboard.role.developer")
	case account.RoleViewer:
		return lang.T("dashboard.role.viewer")
	}
	return string(role)
}
