package api

import (
	"net/http"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

const (
	sessionCookie = "svc_account"
	browserCookie = "svc_browser"
)

// signInLimits are how often an address may try to sign in, and how often people are invited. How many codes are
// mailed is counted where they are. A nil *signInLimits allows everything.
type signInLimits struct{ askIP, tryIP, inviteAccount, inviteEmail *limit.Limiter }

func newSignInLimits(now clock.Now, s *limit.Settings) *signInLimits {
	return &signInLimits{
		askIP: s.CodeAddress.Limiter(now), tryIP: s.TryAddress.Limiter(now),
		inviteAccount: s.InviteAccount.Limiter(now), inviteEmail: s.InviteEmail.Limiter(now),
	}
}

func (l *signInLimits) ask(r *http.Request) error {
	if l == nil {
		return nil
	}
	return checkLimit(l.askIP, limit.Address(httpx.ClientIP(r)))
}

func (l *signInLimits) try(r *http.Request) error {
	if l == nil {
		return nil
	}
	return checkLimit(l.tryIP, limit.Address(httpx.ClientIP(r)))
}

func (l *signInLimits) invite(accountID, email string) error {
	if l == nil {
		return nil
	}
	if err := checkLimit(l.inviteAccount, accountID); err != nil {
		return err
	}
	return checkLimit(l.inviteEmail, email)
}

func checkLimit(l *limit.Limiter, key string) error {
	if ok, wait := l.Allow(key); !ok {
		return fault.RateLimited.After(wait)
	}
	return nil
}

// sameOrigin refuses requests that another site's page has made.
func (a *API) sameOrigin(r *http.Request) error {
	if !httpx.SameOrigin(r, a.own.URL) {
		return fault.OriginMismatch.Err()
	}
	return nil
}

func (a *API) cookie() httpx.TokenCookie {
	return httpx.TokenCookie{Name: sessionCookie, Secure: a.own.Secure}
}

// browser returns the browser of a request's cookie.
func (a *API) browser(r *http.Request) *account.Browser {
	b := a.o.Mail.Browser(a.browserCookie("").Value(r))
	b.Client = limit.Address(httpx.ClientIP(r))
	return b
}

// setBrowserCookie sets the cookie for where the request gives a code: over plain http the pages have their own cookie.
func (a *API) setBrowserCookie(w http.ResponseWriter, r *http.Request, b *account.Browser) {
	path := "/api/session"
	if httpx.Below(r.URL.Path, dashboardPath) {
		path = dashboardPath
	}
	a.browserCookie(path).Set(w, b.Cookie(), int(b.CookieLifetime()/time.Second))
}

func (a *API) browserCookie(path string) httpx.TokenCookie {
	return httpx.TokenCookie{Name: browserCookie, Path: path, Secure: a.own.Secure, Host: true}
}

type signInBody struct {
	Email string `json:"email"`
	Code  string `json:"code"`
}

type doneAnswer struct {
	Success bool `json:"success"`
}

// requestCode: POST /api/session. The answer is the same, and comes as fast, whether
// the address is known or not.
func (a *API) requestCode(w http.ResponseWriter, r *http.Request) error {
	in, err := a.signIn(w, r)
	if err != nil {
		return err
	}
	if err := a.RequestCode(w, r, in.Email); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusAccepted, doneAnswer{true})
}

// signIn reads the body of a sign-in request.
func (a *API) signIn(w http.ResponseWriter, r *http.Request) (*signInBody, error) {
	if err := a.sameOrigin(r); err != nil {
		return nil, err
	}
	in := &signInBody{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return nil, err
	}
	if !message.IsEmail(in.Email) {
		return nil, invalidEmail()
	}
	in.Email = account.NormalEmail(in.Email)
	return in, nil
}

func invalidEmail() error {
	return fault.InvalidEmail.On("email").Detailf("email must be an e-mail address.")
}

// verifyCode: POST /api/session/verify.
func (a *API) verifyCode(w http.ResponseWriter, r *http.Request) error {
	in, err := a.signIn(w, r)
	if err != nil {
		return err
	}
	s, err := a.SignIn(w, r, in.Email, in.Code)
	if err != nil {
		return err
	}
	return a.writeSession(w, r, http.StatusOK, s)
}

type sessionAnswer struct {
	Success   bool            `json:"success"`
	Email     string          `json:"email"`
	ExpiresAt string          `json:"expiresAt"`
	CodeAt    *string         `json:"codeAt"`    // when the last code from an e-mail was given
	AccountID *string         `json:"accountId"` // the one that the session looks at
	Accounts  []belongingItem `json:"accounts"`
}

type belongingItem struct {
	ID   string       `json:"id"`
	Name string       `json:"name"`
	Role account.Role `json:"role"`
}

func (a *API) writeSession(w http.ResponseWriter, r *http.Request, status int, s *account.Session) error {
	of, err := a.o.Directory.Affiliations(r.Context(), s.Email)
	if err != nil {
		return err
	}
	out := sessionAnswer{Success: true, Email: s.Email, ExpiresAt: formatTime(s.ExpiresAt), CodeAt: formatTimeOrNull(s.CodeAt), Accounts: []belongingItem{}}
	for _, b := range of {
		if b.AccountID == s.AccountID() {
			out.AccountID = textOrNull(b.AccountID)
		}
		out.Accounts = append(out.Accounts, belongingItem{b.AccountID, b.Name, b.Role})
	}
	return httpx.WriteJSON(w, status, out)
}

// showSession: GET /api/session.
func (a *API) showSession(w http.ResponseWriter, r *http.Request) error {
	s, err := a.signedIn(w, r)
	if err != nil {
		return err
	}
	return a.writeSession(w, r, http.StatusOK, s)
}

type chooseBody struct {
	AccountID string `json:"accountId"`
}

// chooseAccount: PATCH /api/session.
func (a *API) chooseAccount(w http.ResponseWriter, r *http.Request) error {
	s, err := a.signedIn(w, r)
	if err != nil {
		return err
	}
	var in chooseBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	found, err := a.o.Directory.SwitchAccount(r.Context(), s, in.AccountID)
	if err != nil {
		return err
	}
	if !found {
		return fault.AccountNotFound.On("accountId")
	}
	return a.writeSession(w, r, http.StatusOK, s)
}

// signOut: DELETE /api/session.
func (a *API) signOut(w http.ResponseWriter, r *http.Request) error {
	s, err := a.signedIn(w, r)
	if err != nil {
		return err
	}
	if err := a.SignOut(w, r, s); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}
