package access

import (
	"net/http"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
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
	Own       httpx.Own // the service's own origin; requests from other origins that change something are refused
	Now       clock.Now
	Limits    *limit.Settings // limits of sign-in attempts; nil: neither these nor the plans' request rates are limited
}

// Service identifies callers. It is safe for concurrent use.
type Service struct {
	o       Options
	rates   *rates        // nil: no limit
	signIns *signInLimits // nil: no limit
	bodies  intake.Budget // request bodies of unauthenticated callers
}

// New returns a service.
func New(o Options) *Service {
	s := &Service{o: o}
	if o.Limits != nil {
		s.rates, s.signIns = newRates(o.Now), newSignInLimits(o.Now, o.Limits)
	}
	return s
}

// Caller returns the caller of a request if the permit includes them, and counts the request against their plan's rate. If
// a request has both a key and a session cookie, the key decides.
//
// Errors: those of [Service.Find], [apierror.AccountRequired], [apierror.Forbidden], [apierror.RecentCodeRequired],
// [apierror.LiveKeyRequired], [apierror.AccountSuspended], and [apierror.RateLimited].
func (s *Service) Caller(w http.ResponseWriter, r *http.Request, p account.Permit) (*account.Caller, error) {
	switch {
	case p.Bearer:
		return s.bearer(w, r, p)
	case p.Keys != 0 && (p.Roles == 0 || ShowsKey(r) || len(s.cookie().Tokens(r)) == 0):
		return s.keyOf(w, r, p)
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

// Find returns the session of the request's cookie, whether or not it has an account. A request that changes something must
// come from this service's own origin.
//
// Errors: [apierror.Unauthorized], [apierror.OriginMismatch], and for a request with a key [apierror.SessionRequired].
func (s *Service) Find(w http.ResponseWriter, r *http.Request) (*account.Session, error) {
	if ShowsKey(r) {
		if _, err := s.keyOf(w, r, account.MayShowKey); err != nil {
			return nil, err
		}
		return nil, apierror.SessionRequired.Err()
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

// Current returns the current state of the session of the request's cookie, or nil. It doesn't check the origin, because
// streams call it repeatedly.
func (s *Service) Current(r *http.Request) (*account.Session, error) {
	found, _, err := httpx.OneOf(s.cookie().Tokens(r), func(token string) (*account.Session, bool, error) {
		found, err := s.o.Directory.Session(r.Context(), token)
		return found, found != nil, err
	})
	return found, err
}

// Token returns the token of the request's cookie, or "" if it has none or several.
func (s *Service) Token(r *http.Request) string { return s.cookie().Only(r) }

// Permitted returns a session's caller in its current account if the permit includes their role and their last code is
// recent enough.
func (s *Service) Permitted(of *account.Session, p account.Permit) (*account.Caller, error) {
	c := of.Caller
	if c == nil {
		return nil, apierror.AccountRequired.Err()
	}
	return c, p.Check(c, s.o.Now())
}

// SameOrigin refuses requests from the pages of other sites.
func (s *Service) SameOrigin(r *http.Request) error {
	if !httpx.SameOrigin(r, s.o.Own.URL) {
		return apierror.OriginMismatch.Err()
	}
	return nil
}

// keyOf returns the caller that the request's key identifies.
func (s *Service) keyOf(w http.ResponseWriter, r *http.Request, p account.Permit) (*account.Caller, error) {
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
	return c, p.Check(c, s.o.Now())
}

// realm is the authentication challenge's realm. It names no authorization server, because this endpoint has none.
const realm = `Bearer realm="griot"`

// wrongKey is the challenge's part for a key that is wrong (RFC 6750 §3.1).
const wrongKey = `, error="invalid_token"`

// bearer returns the caller of a live key that is in exactly one Authorization header (M142).
func (s *Service) bearer(w http.ResponseWriter, r *http.Request, p account.Permit) (*account.Caller, error) {
	challenge := func(says, text string) error {
		w.Header().Set("WWW-Authenticate", realm+says)
		return apierror.Unauthorized.Err().Detailf("%s", text)
	}
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return nil, challenge("", "Send the account's live key in one Authorization: Bearer header.")
	}
	scheme, key, _ := strings.Cut(headers[0], " ")
	if key = strings.TrimSpace(key); !strings.EqualFold(scheme, "Bearer") || key == "" {
		return nil, challenge("", "Send the account's live key in one Authorization: Bearer header.")
	}
	c, err := s.o.Directory.Authenticate(r.Context(), key)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, challenge(wrongKey, "")
	case !c.Owner():
		return nil, challenge(wrongKey, "Test and project keys have no access to this endpoint: send the account's live key.")
	case c.Account.Suspended() && !p.Suspended:
		return nil, apierror.AccountSuspended.Err()
	}
	return c, s.limitRate(w, c)
}

// Unauthorized refuses a request whose key or session is missing or invalid.
func Unauthorized(w http.ResponseWriter) error {
	w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
	return apierror.Unauthorized.Err()
}

// ShowsKey reports whether a request has a header for a key.
func ShowsKey(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != ""
}

// apiKey returns the key of either header. Two different keys count as none (M8).
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
