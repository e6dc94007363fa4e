package access

import (
	"net/http"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// The sign-in paths.
const (
	Path         = "/api/session"     // the JSON API's
	WhatsAppPath = Path + "/whatsapp" // where a WhatsApp sign-in starts, and where its redirect ends
	PagePath     = "/dashboard"       // the pages'
)

const (
	sessionCookie = "svc_account"
	browserCookie = "svc_browser"
)

// RequestCode mails a code to an address that can sign in. For any other address, it returns the same result in the same
// time. It returns the address, sealed for [Service.Email].
func (s *Service) RequestCode(w http.ResponseWriter, r *http.Request, email string) (sealed string, err error) {
	if !message.IsEmail(email) {
		return "", InvalidEmail()
	}
	if err := s.signIns.ask(address(r)); err != nil {
		return "", err
	}
	b := s.browser(r)
	wait, err := s.o.Mail.Ask(r.Context(), account.NormalEmail(email), b, web.Language(r))
	if err != nil {
		return "", err
	}
	if wait > 0 {
		return "", apierror.RateLimited.After(wait)
	}
	s.setBrowserCookie(w, r, b)
	return s.o.Mail.SealEmail(b, email), nil
}

// SealEmail returns an address, sealed for [Service.Email] in the browser of a request.
func (s *Service) SealEmail(r *http.Request, email string) string {
	return s.o.Mail.SealEmail(s.browser(r), email)
}

// Email returns the address that [Service.RequestCode] or [Service.SealEmail] sealed in the same browser, or "".
func (s *Service) Email(r *http.Request, sealed string) string {
	return s.o.Mail.OpenEmail(s.browser(r), sealed)
}

// Identify gives a browser its cookie when a page with a form is shown, so that all its forms are sent under one identity.
func (s *Service) Identify(w http.ResponseWriter, r *http.Request) {
	if b := s.browser(r); b.IsNew() {
		s.setBrowserCookie(w, r, b)
	}
}

// InvalidEmail refuses an invalid address.
func InvalidEmail() error {
	return apierror.InvalidEmail.On("email").Detailf("email must be an email address.")
}

// SignIn opens a session for an address with the code that was mailed to it, and sets the session's cookie.
func (s *Service) SignIn(w http.ResponseWriter, r *http.Request, email, code string) (*account.Session, error) {
	return s.open(w, r, code, func(b *account.Browser, digits, current string) (string, *account.Session, bool, error) {
		return s.o.Mail.Redeem(r.Context(), email, b, digits, current)
	})
}

// JoinByCode accepts an invitation with its token and the code from its email, and opens a session for the invited address.
func (s *Service) JoinByCode(w http.ResponseWriter, r *http.Request, token, code string) (*account.Session, error) {
	return s.open(w, r, code, func(b *account.Browser, digits, current string) (string, *account.Session, bool, error) {
		return s.o.Mail.AcceptByCode(r.Context(), token, b, digits, current)
	})
}

// open counts an attempt to use a code, and sets the cookies of the session that the code opens.
func (s *Service) open(w http.ResponseWriter, r *http.Request, code string, open func(b *account.Browser, digits, current string) (token string, of *account.Session, opened bool, err error)) (*account.Session, error) {
	if code = visible.Code(code); code == "" {
		return nil, apierror.InvalidRequest.On("code").Detailf("code is required.")
	}
	if err := s.signIns.try(address(r)); err != nil {
		return nil, err
	}
	current, _, err := httpx.OneOf(s.cookie().Tokens(r), func(token string) (string, bool, error) {
		found, err := s.o.Directory.Session(r.Context(), token)
		return token, found != nil, err
	})
	if err != nil {
		return nil, err
	}
	b := s.browser(r)
	token, of, opened, err := open(b, code, current)
	if err != nil {
		return nil, err
	}
	if !opened {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return nil, apierror.SignInFailed.Err()
	}
	s.opened(w, r, b, token, of)
	return of, nil
}

// opened sets the cookies of a new session. If the address hasn't used this browser before, it also mails a notice.
func (s *Service) opened(w http.ResponseWriter, r *http.Request, b *account.Browser, token string, of *account.Session) {
	if of.NewBrowser {
		s.o.Mail.NotifySignIn(of.Email, s.o.Now(), httpx.Network(actor.From(r.Context()).Address), web.Language(r))
	}
	s.cookie().Set(w, token, int(account.SessionTime/time.Second))
	s.setBrowserCookie(w, r, b)
}

// TrySignIn counts a sign-in attempt. It has the same limit as attempts to use a code.
func (s *Service) TrySignIn(r *http.Request) error { return s.signIns.try(address(r)) }

// SignInByWhatsApp opens a session for a person who has proved to the login service that a linked number is theirs, and
// sets the session's cookie.
func (s *Service) SignInByWhatsApp(w http.ResponseWriter, r *http.Request, issuer, subject string) (account.Opening, error) {
	b := s.browser(r)
	token, of, how, err := s.o.Mail.OpenLinked(r.Context(), issuer, subject, b)
	if err == nil && how == account.Opened {
		s.opened(w, r, b, token, of)
	}
	return how, err
}

// LinkWhatsApp links a number to a session's address and mails a notice to the address. It reports false if the number is
// linked to another address.
func (s *Service) LinkWhatsApp(r *http.Request, of *account.Session, l account.WhatsAppLink) (bool, error) {
	linked, err := s.o.Directory.LinkWhatsApp(r.Context(), of, l)
	if linked && err == nil {
		s.o.Mail.NotifyWhatsApp(of.Email, l.Phone, true, s.o.Now(), web.Language(r))
	}
	return linked, err
}

// UnlinkWhatsApp removes the number of a session's address and mails a notice to the address.
func (s *Service) UnlinkWhatsApp(r *http.Request, of *account.Session) error {
	was, err := s.o.Directory.UnlinkWhatsApp(r.Context(), of)
	if was != nil && err == nil {
		s.o.Mail.NotifyWhatsApp(of.Email, was.Phone, false, s.o.Now(), web.Language(r))
	}
	return err
}

// SignOut ends a session and removes its cookie.
func (s *Service) SignOut(w http.ResponseWriter, r *http.Request, of *account.Session) error {
	if err := s.o.Directory.CloseSession(r.Context(), of); err != nil {
		return err
	}
	s.Forget(w)
	return nil
}

// Forget removes the session's cookie.
func (s *Service) Forget(w http.ResponseWriter) { s.cookie().Clear(w) }

func (s *Service) cookie() httpx.TokenCookie {
	return httpx.TokenCookie{Name: sessionCookie, Secure: s.o.Own.Secure}
}

// address returns the key by which requests of one address are counted.
func address(r *http.Request) string { return limit.Address(actor.From(r.Context()).Address) }

// browser returns the browser ID of a request's cookie.
func (s *Service) browser(r *http.Request) *account.Browser {
	b, ok, _ := httpx.OneOf(s.browserCookie("").Values(r), func(value string) (*account.Browser, bool, error) {
		b := s.o.Mail.Browser(value)
		return b, !b.IsNew(), nil
	})
	if !ok {
		b = s.o.Mail.Browser("")
	}
	b.Client = address(r)
	return b
}

// setBrowserCookie sets the browser cookie for the surface that the code was sent to: over plain http, the pages have a
// cookie of their own.
func (s *Service) setBrowserCookie(w http.ResponseWriter, r *http.Request, b *account.Browser) {
	path := Path
	if httpx.Below(r.URL.Path, PagePath) {
		path = PagePath
	}
	s.browserCookie(path).Set(w, b.Cookie(), int(b.CookieLifetime()/time.Second))
}

func (s *Service) browserCookie(path string) httpx.TokenCookie {
	return httpx.TokenCookie{Name: browserCookie, Path: path, Secure: s.o.Own.Secure, Host: true}
}
