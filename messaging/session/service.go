package session

import (
	"net/http"
	"strings"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/mail"
)

// Options configure a [Service].
type Options struct {
	Directory *account.Directory
	Mail      *mail.Service
	Own       httpx.Own // the service's origin: other sites' pages change nothing
	Now       clock.Now
	Limits    *limit.Settings // how often people try to sign in; nil: neither that nor the plans' request rates are limited
}

// Service finds out who calls. It is safe for concurrent use.
type Service struct {
	o       Options
	rates   *rates        // nil: no limit
	signIns *signInLimits // nil: no limit
	bodies  intake.Budget // bodies of those who aren't signed in yet
}

// New returns a service.
func New(o Options) *Service {
	s := &Service{o: o}
	if o.Limits != nil {
		s.rates, s.signIns = newRates(o.Now), newSignInLimits(o.Now, o.Limits)
	}
	return s
}

// Caller returns who makes a request, if the permit includes them, and counts the request against their plan's rate. A
// request with a key is the key's, even if it has a session's cookie too.
//
// Errors: those of [Service.Find], [fault.AccountRequired], [fault.Forbidden], [fault.RecentCodeRequired],
// [fault.LiveKeyRequired], and [fault.RateLimited].
func (s *Service) Caller(w http.ResponseWriter, r *http.Request, p Permit) (*account.Caller, error) {
	switch {
	case p.Bearer:
		return s.bearer(w, r)
	case p.Keys != 0 && (p.Roles == 0 || ShowsKey(r) || s.cookie().Token(r) == ""):
		return s.keyOf(w, r, p.Keys)
	}
	person, err := s.Find(w, r)
	if err != nil {
		return nil, err
	}
	c, err := s.Permitted(person, p)
	if err != nil {
		return nil, err
	}
	return c, s.limitRate(w, c)
}

// Find returns the session of the request's cookie, in an account or not. A request that changes something must come from
// a page of this service.
//
// Errors: [fault.Unauthorized], [fault.OriginMismatch], and for a request with a key [fault.SessionRequired].
func (s *Service) Find(w http.ResponseWriter, r *http.Request) (*account.Session, error) {
	if ShowsKey(r) {
		if _, err := s.keyOf(w, r, AnyKey); err != nil {
			return nil, err
		}
		return nil, fault.SessionRequired.Err()
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := s.SameOrigin(r); err != nil {
			return nil, err
		}
	}
	found, err := s.Current(r)
	if err == nil && found == nil {
		err = Unauthorized(w)
	}
	return found, err
}

// Current returns the session of the request's cookie as it is now, or nil. It asks for no origin: streams call it again
// and again.
func (s *Service) Current(r *http.Request) (*account.Session, error) {
	token := s.cookie().Token(r)
	if token == "" {
		return nil, nil //nolint:nilnil // no session is an answer
	}
	return s.o.Directory.Session(r.Context(), token)
}

// Permitted returns a session's caller in its current account, if the permit includes their role and their last code is
// recent enough for it.
func (s *Service) Permitted(of *account.Session, p Permit) (*account.Caller, error) {
	switch c := of.Caller; {
	case c == nil:
		return nil, fault.AccountRequired.Err()
	case !p.Allows(c.Role):
		return nil, fault.Forbidden.Err().Detailf("Your role in this account, %s, does not include that.", c.Role)
	case p.Code && !c.HasRecentCode(s.o.Now()):
		return nil, fault.RecentCodeRequired.Err()
	default:
		return c, nil
	}
}

// SameOrigin refuses requests that another site's page has made.
func (s *Service) SameOrigin(r *http.Request) error {
	if !httpx.SameOrigin(r, s.o.Own.URL) {
		return fault.OriginMismatch.Err()
	}
	return nil
}

// keyOf resolves the request's key.
func (s *Service) keyOf(w http.ResponseWriter, r *http.Request, keys Keys) (*account.Caller, error) {
	key, ok := apiKey(r)
	if !ok {
		return nil, Unauthorized(w)
	}
	c, err := s.o.Directory.Authenticate(r.Context(), key)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, Unauthorized(w)
	}
	if err := s.limitRate(w, c); err != nil {
		return nil, err
	}
	switch {
	case keys == AccountKeys && c.Kind == account.ProjectKey:
		return nil, fault.Forbidden.Err()
	case keys == LiveKey && !c.Owner():
		return nil, fault.LiveKeyRequired.Err()
	}
	return c, nil
}

// realm makes the challenge name the service. It names no authorization server: there is none for this endpoint.
const realm = `Bearer realm="griot"`

// bearer resolves an account's live key that comes in one Authorization header and in no other way (M142).
func (s *Service) bearer(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	challenge := func(text string) error {
		w.Header().Set("WWW-Authenticate", realm)
		return fault.Unauthorized.Err().Detailf("%s", text)
	}
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return nil, challenge("Send the account's live key in one Authorization: Bearer header.")
	}
	scheme, key, _ := strings.Cut(headers[0], " ")
	if key = strings.TrimSpace(key); !strings.EqualFold(scheme, "Bearer") || key == "" {
		return nil, challenge("Send the account's live key in one Authorization: Bearer header.")
	}
	c, err := s.o.Directory.Authenticate(r.Context(), key)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, challenge("")
	case !c.Owner():
		return nil, challenge("Test and project keys have no access to this endpoint: send the account's live key.")
	}
	return c, s.limitRate(w, c)
}

// Unauthorized refuses a request whose key or session is not good, or is missing.
func Unauthorized(w http.ResponseWriter) error {
	w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
	return fault.Unauthorized.Err()
}

// ShowsKey reports whether a request has a header for a key.
func ShowsKey(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != ""
}

// apiKey returns the key of either header; with two different keys there is none (M8).
func apiKey(r *http.Request) (string, bool) {
	bearer := ""
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, token, ok := strings.Cut(h, " ")
		if !ok || !strings.EqualFold(scheme, "Bearer") {
			return "", false
		}
		bearer = strings.TrimSpace(token)
	}
	key := r.Header.Get("X-Api-Key")
	if bearer != "" && key != "" && bearer != key {
		return "", false
	}
	if key == "" {
		key = bearer
	}
	return key, key != ""
}
