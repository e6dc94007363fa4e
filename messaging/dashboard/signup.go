package dashboard

import (
	"errors"
	"net/http"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/resubmit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

const signUpPath = "/dashboard/sign-up"

func (d *Dashboard) signUpRoutes() []httpx.Route {
	return []httpx.Route{
		d.guard.Person("GET", signUpPath, d.showSignUp),
		d.guard.Person("POST", signUpPath, d.signUp),
	}
}

const (
	pageSignUp  = "dashboard_sign_up" // signUp
	pageWelcome = "dashboard_welcome" // welcome
)

// signUp is the form that makes an account for who is signed in.
type signUp struct {
	Email string
	ID    string // one form makes one account, however often it is sent
	Name  web.Field
}

// welcome is shown once: it has the new account's test key.
type welcome struct {
	Account string
	Key     web.Code
	Curl    web.Code
	Home    string
}

// showSignUp: GET /dashboard/sign-up.
func (d *Dashboard) showSignUp(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	may, err := d.o.Directory.MaySignUp(r.Context(), s)
	switch {
	case err != nil:
		return err
	case !may:
		return httpx.SeeOther(w, withoutSignUp(s))
	}
	return d.serveSignUp(w, r, http.StatusOK, s, id.New(d.o.Now()), "", "")
}

// withoutSignUp is where somebody goes who makes no account.
func withoutSignUp(s *account.Session) string {
	if s.Caller == nil {
		return invitationPath
	}
	return homePath
}

func (d *Dashboard) serveSignUp(w http.ResponseWriter, r *http.Request, status int, s *account.Session, formID, name, wrong string) error {
	lang := web.Language(r)
	return d.o.Pages.Serve(w, r, status, pageSignUp, signUp{
		Email: s.Email, ID: formID,
		Name: web.Field{ID: "name", Name: "name", Label: lang.T("dashboard.sign_up.name"), Value: name, Hint: lang.T("dashboard.sign_up.name_hint"), Wrong: wrong, Autocomplete: "organization", Required: true},
	})
}

// signUp: POST /dashboard/sign-up. Its answer is the page with the account's test key, which no address has.
func (d *Dashboard) signUp(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	may, err := d.o.Directory.MaySignUp(r.Context(), s)
	if err != nil {
		return err
	}
	sent := d.formOf(r, form, "sign-up")
	if !may { // they have an account, or the form was sent twice
		return d.signedUp(w, r, s, sent, withoutSignUp(s))
	}
	lang := web.Language(r)
	a, key, err := d.o.API.SignUp(r.Context(), s, form.Get("name"), lang, sent)
	switch {
	case errors.Is(err, account.ErrSignupClosed), errors.Is(err, account.ErrEmailTaken): // by a form at the same time
		return d.signedUp(w, r, s, sent, homePath)
	case errors.Is(err, account.ErrKeyMade): // the form's id is another key's
		return httpx.SeeOther(w, signUpPath)
	case is(err, fault.InvalidRequest):
		return d.serveSignUp(w, r, http.StatusBadRequest, s, sent.ID, form.Get("name"), lang.T("dashboard.sign_up.wrong_name"))
	case err != nil:
		return err
	}
	return d.o.Pages.Serve(w, r, http.StatusCreated, pageWelcome, d.welcome(lang, a, key))
}

// signedUp shows what a form has made a moment ago, or leads elsewhere where it has made nothing.
func (d *Dashboard) signedUp(w http.ResponseWriter, r *http.Request, s *account.Session, sent resubmit.Form, elsewhere string) error {
	a, key, err := d.o.Directory.SignedUp(r.Context(), s, sent)
	switch {
	case err != nil:
		return err
	case a == nil:
		return httpx.SeeOther(w, elsewhere)
	}
	return d.o.Pages.Serve(w, r, http.StatusCreated, pageWelcome, d.welcome(web.Language(r), a, key))
}

func (d *Dashboard) welcome(lang i18n.Lang, a *account.Account, key string) welcome {
	first := &sendBody{To: "+22376000001", Channel: message.Auto, Message: lang.T("dashboard.overview.hello")}
	return welcome{
		Account: a.Name, Home: withMode(homePath, modeTest),
		Key:  web.Code{ID: "key", Title: lang.T("dashboard.sign_up.key"), Text: key},
		Curl: web.Code{ID: "first", Title: lang.T("dashboard.sign_up.first"), Text: curl(d.o.URL, key, first)},
	}
}
