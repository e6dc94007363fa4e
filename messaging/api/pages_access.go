package api

import (
	"context"
	"net/http"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// SignInPath is where the dashboard's pages sign in.
const SignInPath = dashboardPath + "/sign-in"

// WhatsAppPath is where browsers go to sign in by WhatsApp, and come back to.
const WhatsAppPath = "/api/session/whatsapp"

// The methods below are what the dashboard's pages share with the JSON surface: signing in with the same budgets and
// answers, the session with the same checks of origin, role and rate.

// HTTP is what runs the handlers, and turns their errors into answers.
func (a *API) HTTP() *httpx.API { return a.http }

// LimitUnauthenticated bounds the bodies of a route that is for people who are not signed in, together with the
// bodies of the JSON surface's.
func (a *API) LimitUnauthenticated(h httpx.HandlerFunc) http.Handler {
	return a.http.LimitUnauthenticated(&a.unauthenticatedBodies, a.http.Handle(h))
}

// Billing is what sells plans.
func (a *API) Billing() *billing.Service { return a.o.Billing }

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
	return a.openSession(w, r, code, func(b *account.Browser, digits, current string) (string, *account.Session, bool, error) {
		return a.o.Mail.Redeem(r.Context(), email, b, digits, current)
	})
}

// JoinByCode accepts an invitation for whoever has its token and the code from its e-mail, and opens a session for them.
func (a *API) JoinByCode(w http.ResponseWriter, r *http.Request, token, code string) (*account.Session, error) {
	return a.openSession(w, r, code, func(b *account.Browser, digits, current string) (string, *account.Session, bool, error) {
		return a.o.Mail.AcceptByCode(r.Context(), token, b, digits, current)
	})
}

// openSession counts a try of a code, and sets the cookie of the session that it opens.
func (a *API) openSession(w http.ResponseWriter, r *http.Request, code string, open func(b *account.Browser, digits, current string) (token string, s *account.Session, opened bool, err error)) (*account.Session, error) {
	if code = NormalizeCode(code); code == "" {
		return nil, fault.InvalidRequest.On("code").Detailf("code is required.")
	}
	if err := a.signIns.try(r); err != nil {
		return nil, err
	}
	b := a.browser(r)
	token, s, opened, err := open(b, code, a.cookie().Token(r))
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

// TrySignIn counts a try to sign in, of which there are as many as for codes.
func (a *API) TrySignIn(r *http.Request) error { return a.signIns.try(r) }

// SignInByWhatsApp opens a session for who has shown at the login service that a linked number is theirs, and sets its
// cookie.
func (a *API) SignInByWhatsApp(w http.ResponseWriter, r *http.Request, issuer, subject string) (account.Opening, error) {
	b := a.browser(r)
	token, s, how, err := a.o.Mail.OpenLinked(r.Context(), issuer, subject, b)
	if err != nil || how != account.Opened {
		return how, err
	}
	if s.NewBrowser {
		a.o.Mail.NotifySignIn(s.Email, a.o.Now(), httpx.Network(httpx.ClientIP(r)), web.Language(r))
	}
	a.cookie().Set(w, token, int(account.SessionTime/time.Second))
	a.setBrowserCookie(w, r, b)
	return how, nil
}

// LinkWhatsApp links a number to a session's address, and mails it a notice; false: it is another address's.
func (a *API) LinkWhatsApp(r *http.Request, s *account.Session, l account.WhatsAppLink) (bool, error) {
	linked, err := a.o.Directory.LinkWhatsApp(r.Context(), s, l)
	if linked && err == nil {
		a.o.Mail.NotifyWhatsApp(s.Email, l.Phone, true, a.o.Now(), web.Language(r))
	}
	return linked, err
}

// UnlinkWhatsApp removes the number of a session's address, and mails it a notice.
func (a *API) UnlinkWhatsApp(r *http.Request, s *account.Session) error {
	was, err := a.o.Directory.UnlinkWhatsApp(r.Context(), s)
	if was != nil && err == nil {
		a.o.Mail.NotifyWhatsApp(s.Email, was.Phone, false, a.o.Now(), web.Language(r))
	}
	return err
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

// MakeKey makes a key for who is signed in: a developer makes keys of their projects.
func (a *API) MakeKey(ctx context.Context, c *account.Caller, s account.KeySpec) (*account.Key, string, error) {
	switch s.Kind {
	case account.Live, account.Test:
		if !c.Owner() {
			return nil, "", fault.Forbidden.On("kind").Detailf("A developer makes project keys.")
		}
	case account.ProjectKey:
	default:
		return nil, "", fault.InvalidRequest.On("kind").Detailf("kind is live, test or project.")
	}
	if s.Name != "" {
		var err error
		if s.Name, err = checkName(s.Name); err != nil {
			return nil, "", err
		}
	}
	s.AccountID, s.MemberID = c.Account.ID, c.MemberID
	k, secret, err := a.o.Directory.MakeKey(ctx, s)
	return k, secret, refused(err)
}

// RotateKey makes a key in the place of another, which goes on working for a time.
func (a *API) RotateKey(ctx context.Context, c *account.Caller, keyID string, grace time.Duration) (*account.Rotated, error) {
	rotated, err := a.o.Directory.RotateKey(ctx, c.Account.ID, c.MemberID, keyID, grace)
	return rotated, refused(err)
}

// CreateProject makes a project, a developer's own.
func (a *API) CreateProject(ctx context.Context, c *account.Caller, name string) (*account.Project, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	p, err := a.o.Directory.CreateOwnProject(ctx, c.Account.ID, c.MemberID, name)
	return p, refused(err)
}

// RenameProject gives a project another name. To a developer the projects of others do not exist.
func (a *API) RenameProject(ctx context.Context, c *account.Caller, projectID, name string) error {
	name, err := checkName(name)
	if err != nil {
		return err
	}
	found, err := a.o.Directory.RenameProject(ctx, c.Account.ID, c.MemberID, projectID, name)
	if err == nil && !found {
		err = fault.ProjectNotFound.Err()
	}
	return err
}

// Permits reports whether a role includes a route: "GET /dashboard/logs".
func Permits(role account.Role, route string) bool {
	permitted, _ := permit(role, route)
	return permitted
}
