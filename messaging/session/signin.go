package session

import (
	"net/http"
	"strings"
	"time"
	"unicode"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// The paths of signing in.
const (
	Path         = "/api/session"     // the JSON API's
	WhatsAppPath = Path + "/whatsapp" // where browsers go to sign in by WhatsApp, and come back to
	PagePath     = "/dashboard"       // the pages'
)

const (
	sessionCookie = "svc_account"
	browserCookie = "svc_browser"
)

// RequestCode mails a code to an address that may sign in. It returns the same, and as fast, for any other.
func (s *Service) RequestCode(w http.ResponseWriter, r *http.Request, email string) error {
	if !message.IsEmail(email) {
		return InvalidEmail()
	}
	if err := s.signIns.ask(r); err != nil {
		return err
	}
	b := s.browser(r)
	wait, err := s.o.Mail.Ask(r.Context(), account.NormalEmail(email), b, web.Language(r))
	if err != nil {
		return err
	}
	if wait > 0 {
		return fault.RateLimited.After(wait)
	}
	s.setBrowserCookie(w, r, b)
	return nil
}

// InvalidEmail refuses what is not an address.
func InvalidEmail() error {
	return fault.InvalidEmail.On("email").Detailf("email must be an e-mail address.")
}

// SignIn opens a session for who has the code that was mailed to an address, and sets its cookie.
func (s *Service) SignIn(w http.ResponseWriter, r *http.Request, email, code string) (*account.Session, error) {
	return s.open(w, r, code, func(b *account.Browser, digits, current string) (string, *account.Session, bool, error) {
		return s.o.Mail.Redeem(r.Context(), email, b, digits, current)
	})
}

// JoinByCode accepts an invitation for whoever has its token and the code from its e-mail, and opens a session for them.
func (s *Service) JoinByCode(w http.ResponseWriter, r *http.Request, token, code string) (*account.Session, error) {
	return s.open(w, r, code, func(b *account.Browser, digits, current string) (string, *account.Session, bool, error) {
		return s.o.Mail.AcceptByCode(r.Context(), token, b, digits, current)
	})
}

// open counts a try of a code, and sets the cookies of the session that it opens.
func (s *Service) open(w http.ResponseWriter, r *http.Request, code string, open func(b *account.Browser, digits, current string) (token string, of *account.Session, opened bool, err error)) (*account.Session, error) {
	if code = NormalizeCode(code); code == "" {
		return nil, fault.InvalidRequest.On("code").Detailf("code is required.")
	}
	if err := s.signIns.try(r); err != nil {
		return nil, err
	}
	b := s.browser(r)
	token, of, opened, err := open(b, code, s.cookie().Token(r))
	if err != nil {
		return nil, err
	}
	if !opened {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return nil, fault.SignInFailed.Err()
	}
	s.opened(w, r, b, token, of)
	return of, nil
}

// opened sets the cookies of a new session, and mails a notice where the browser is new for its address.
func (s *Service) opened(w http.ResponseWriter, r *http.Request, b *account.Browser, token string, of *account.Session) {
	if of.NewBrowser {
		s.o.Mail.NotifySignIn(of.Email, s.o.Now(), httpx.Network(httpx.ClientIP(r)), web.Language(r))
	}
	s.cookie().Set(w, token, int(account.SessionTime/time.Second))
	s.setBrowserCookie(w, r, b)
}

// TrySignIn counts a try to sign in, of which there are as many as for codes.
func (s *Service) TrySignIn(r *http.Request) error { return s.signIns.try(r) }

// SignInByWhatsApp opens a session for who has shown at the login service that a linked number is theirs, and sets its
// cookie.
func (s *Service) SignInByWhatsApp(w http.ResponseWriter, r *http.Request, issuer, subject string) (account.Opening, error) {
	b := s.browser(r)
	token, of, how, err := s.o.Mail.OpenLinked(r.Context(), issuer, subject, b)
	if err == nil && how == account.Opened {
		s.opened(w, r, b, token, of)
	}
	return how, err
}

// LinkWhatsApp links a number to a session's address, and mails it a notice; false: it is another address's.
func (s *Service) LinkWhatsApp(r *http.Request, of *account.Session, l account.WhatsAppLink) (bool, error) {
	linked, err := s.o.Directory.LinkWhatsApp(r.Context(), of, l)
	if linked && err == nil {
		s.o.Mail.NotifyWhatsApp(of.Email, l.Phone, true, s.o.Now(), web.Language(r))
	}
	return linked, err
}

// UnlinkWhatsApp removes the number of a session's address, and mails it a notice.
func (s *Service) UnlinkWhatsApp(r *http.Request, of *account.Session) error {
	was, err := s.o.Directory.UnlinkWhatsApp(r.Context(), of)
	if was != nil && err == nil {
		s.o.Mail.NotifyWhatsApp(of.Email, was.Phone, false, s.o.Now(), web.Language(r))
	}
	return err
}

// SignOut ends a session, and removes its cookie.
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

// browser returns the browser of a request's cookie.
func (s *Service) browser(r *http.Request) *account.Browser {
	b := s.o.Mail.Browser(s.browserCookie("").Value(r))
	b.Client = limit.Address(httpx.ClientIP(r))
	return b
}

// setBrowserCookie sets the cookie for where the request gives a code: over plain http the pages have their own cookie.
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

// NormalizeCode returns a code without the spaces and invisible characters that come along when it is copied from a message.
func NormalizeCode(code string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, code)
}
