package dashboard

import (
	"errors"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
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

// signUp is the form that creates an account for the signed-in person.
type signUp struct {
	Email string
	ID    string // each form creates only one account, even if it is sent repeatedly
	Name  web.Field
}

// welcome is a page that is shown once, with the new account's test key.
type welcome struct {
	Account string
	Key     web.Code
	Curl    web.Code
	Home    string
}

// showSignUp handles GET /dashboard/sign-up.
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

// withoutSignUp returns the page for a person who does not create an account.
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

// signUp handles POST /dashboard/sign-up. Its response is the page with the account's test key, which has no address of its own.
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
	if !may { // they already have an account, or the form was sent twice
		return d.signedUp(w, r, s, sent, withoutSignUp(s))
	}
	lang := web.Language(r)
	a, key, err := d.o.Directory.SignUp(r.Context(), s, form.Get("name"), lang, sent)
	switch {
	case errors.Is(err, account.ErrSignupClosed), errors.Is(err, account.ErrEmailTaken): // because of a form at the same time
		return d.signedUp(w, r, s, sent, homePath)
	case errors.Is(err, account.ErrKeyMade): // another key has the form's ID
		return httpx.SeeOther(w, signUpPath)
	case is(err, apierror.InvalidRequest):
		return d.serveSignUp(w, r, http.StatusBadRequest, s, sent.ID, form.Get("name"), lang.T("dashboard.sign_up.wrong_name"))
	case err != nil:
		return err
	}
	return d.o.Pages.Serve(w, r, http.StatusCreated, pageWelcome, d.welcome(lang, a, key))
}

// signedUp shows the account that a form has created a moment ago, or redirects if it has created none.
func (d *Dashboard) signedUp(w http.ResponseWriter, r *http.Request, s *account.Session, sent forms.Creation, elsewhere string) error {
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
