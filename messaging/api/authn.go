package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"griot/internal/clock"
	"griot/internal/fault"
	"griot/internal/limit"
	"griot/messaging/account"
)

// caller resolves the request's key (document 2 §5) and holds its plan's rate.
func (a *API) caller(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	key, ok := apiKey(r)
	if !ok {
		return nil, unauthorized(w)
	}
	c, err := a.o.Directory.Authenticate(r.Context(), key)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, unauthorized(w)
	}
	return c, a.hold(w, c)
}

// owner resolves a caller who is the account's owner: its live key.
func (a *API) owner(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	c, err := a.caller(w, r)
	if err != nil {
		return nil, err
	}
	if !isOwner(c) {
		return nil, fault.LiveKeyRequired.Err()
	}
	return c, nil
}

func isOwner(c *account.Caller) bool { return c.Kind == account.Live && c.ProjectID == "" }

func unauthorized(w http.ResponseWriter) error {
	w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
	return fault.Unauthorized.Err()
}

// apiKey reads the key from either header; two different ones are no key.
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

func rates(now clock.Now) map[string]*limit.Limiter {
	m := map[string]*limit.Limiter{}
	for _, p := range account.Plans() {
		if p.Rate > 0 {
			m[p.Name] = limit.New(now, p.Rate, time.Second, 2*p.Rate)
		}
	}
	return m
}

// hold counts the request against its key's rate.
func (a *API) hold(w http.ResponseWriter, c *account.Caller) error {
	l := a.rates[c.Account.Plan.Name]
	if l == nil {
		return nil
	}
	w.Header().Set("RateLimit-Limit", strconv.Itoa(c.Account.Plan.Rate))
	if ok, wait := l.Allow(c.KeyID); !ok {
		return fault.RateLimited.After(wait)
	}
	return nil
}
