package api

import (
	"net/http"
	"time"

	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/web"
)

// SignInPath is where the dashboard's pages sign in.
const SignInPath = dashboardPath + "/sign-in"

// The methods below are what the dashboard's pages share with the JSON surface: signing in with the same budgets and
// answers, the session with the same checks of origin, role and rate.

// HTTP is what runs the handlers, and turns their errors into answers.
func (a *API) HTTP() *httpx.API { return a.http }

// LimitUnauthenticated bounds the bodies of a route that is for people who are not signed in, together with the
// bodies of the JSON surface's.
func (a *API) LimitUnauthenticated(h httpx.HandlerFunc) http.Handler {
	return a.http.LimitUnauthenticated(&a.unauthenticatedBodies, a.http.Handle(h))
}

// SameOrigin refuses requests that another site's page has made.
func (a *API) SameOrigin(r *http.Request) error { return a.sameOrigin(r) }

// RequestCode mails a code to an address that may sign in. It returns the same, and as fast, for any other.
func (a *API) RequestCode(w http.ResponseWriter, r *http.Request, email string) error {
	if !message.IsEmail(email) {
		return invalidEmail()
	}
	if err := a.signIns.ask(r); err != nil {
		return err
	}
	b := a.browser(r)
	wait, err := a.o.Mail.Ask(r.Context(), account.NormalEmail(email), b, web.Language(r))
	if err != nil {
		return err
	}
	if wait > 0 {
		return fault.RateLimited.After(wait)
	}
	a.setBrowserCookie(w, r, b)
	return nil
}

// SignIn opens a session for who has the code that was mailed to an address, and sets its cookie.
func (a *API) SignIn(w http.ResponseWriter, r *http.Request, email, code string) (*account.Session, error) {
	if code = normalizeCode(code); code == "" {
		return nil, fault.InvalidRequest.On("code").Detailf("code is required.")
	}
	if err := a.signIns.try(r); err != nil {
		return nil, err
	}
	b := a.browser(r)
	token, s, opened, err := a.o.Mail.Redeem(r.Context(), email, b, code, a.cookie().Token(r))
	if err != nil {
		return nil, err
	}
	if !opened {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return nil, fault.SignInFailed.Err()
	}
	if s.NewBrowser {
		a.o.Mail.NotifySignIn(s.Email, a.o.Now(), httpx.Network(httpx.ClientIP(r)), web.Language(r))
	}
	a.cookie().Set(w, token, int(account.SessionTime/time.Second))
	a.setBrowserCookie(w, r, b)
	return s, nil
}

// SignOut ends a session, and removes its cookie.
func (a *API) SignOut(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	if err := a.o.Directory.CloseSession(r.Context(), s); err != nil {
		return err
	}
	a.cookie().Clear(w)
	return nil
}

// Session returns the session of a request's cookie. A request that changes something must come from a page of
// this service.
func (a *API) Session(w http.ResponseWriter, r *http.Request) (*account.Session, error) {
	return a.signedIn(w, r)
}

// Member returns who is signed in, in the account that they look at, if the request's route is for their role.
func (a *API) Member(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	return a.session(w, r)
}

// Permits reports whether a role includes a route: "GET /dashboard/logs".
func Permits(role account.Role, route string) bool {
	permitted, _ := permit(role, route)
	return permitted
}
