package api

import (
	"net/http"
	"strings"

	"example.com/griot/internal/fault"
	"example.com/griot/messaging/account"
)

// The functions below resolve the caller of a request. A request with a key is the key's,
// even if it has a session's cookie too.
//
//	caller            any key                              send, batch, /api/key
//	accountCaller     a live or a test key                 everything else that is for keys alone
//	callerOrSession   any key, or a session                status, logs
//	accountOrSession  a live or test key, or a session     statistics, canceling
//	owner             a live key, or a session             webhooks, senders
//	session           a session                            /api/me, projects, keys, members
//
// Which roles a session's route is for, [permit] decides. Where only a live key or the owner will do, as for the inbox,
// ask accountOrSession and then [account.Caller.Owner].

// caller resolves the request's key, and applies its plan's rate.
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
	return c, a.limitRate(w, c)
}

// accountCaller is caller without project keys, which may use few endpoints only (M11).
func (a *API) accountCaller(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	c, err := a.caller(w, r)
	if err == nil && c.Kind == account.ProjectKey {
		err = fault.Forbidden.Err()
	}
	return c, err
}

// callerOrSession resolves a key, or else a session.
func (a *API) callerOrSession(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	if showsKey(r) || a.cookie().Token(r) == "" {
		return a.caller(w, r)
	}
	return a.session(w, r)
}

// accountOrSession resolves an account's key, or else a session.
func (a *API) accountOrSession(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	if showsKey(r) || a.cookie().Token(r) == "" {
		return a.accountCaller(w, r)
	}
	return a.session(w, r)
}

// session resolves a session into its caller in the session's current account, if the route is for the caller's role.
func (a *API) session(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	s, err := a.signedIn(w, r)
	if err != nil {
		return nil, err
	}
	c, err := a.permitted(s, r.Pattern)
	if err != nil {
		return nil, err
	}
	return c, a.limitRate(w, c)
}

// permitted returns the session's caller, if a route is for their role and their last code is recent enough for it.
func (a *API) permitted(s *account.Session, route string) (*account.Caller, error) {
	if s.Caller == nil {
		return nil, fault.AccountRequired.Err()
	}
	permitted, needsCode := permit(s.Caller.Role, route)
	switch {
	case !permitted:
		return nil, fault.Forbidden.Err().Detailf("Your role in this account, %s, does not include that.", s.Caller.Role)
	case needsCode && !s.Caller.HasRecentCode(a.o.Now()):
		return nil, fault.RecentCodeRequired.Err()
	}
	return s.Caller, nil
}

// signedIn returns the session of the request's cookie. A request that changes
// something must come from a page of this service.
func (a *API) signedIn(w http.ResponseWriter, r *http.Request) (*account.Session, error) {
	if showsKey(r) {
		if _, err := a.caller(w, r); err != nil {
			return nil, err
		}
		return nil, fault.SessionRequired.Err()
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := a.sameOrigin(r); err != nil {
			return nil, err
		}
	}
	token := a.cookie().Token(r)
	if token == "" {
		return nil, unauthorized(w)
	}
	s, err := a.o.Directory.Session(r.Context(), token)
	if err == nil && s == nil {
		err = unauthorized(w)
	}
	return s, err
}

// owner resolves a caller who is the account's owner: its live key, or the owner's session.
func (a *API) owner(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	if !showsKey(r) && a.cookie().Token(r) != "" {
		return a.session(w, r)
	}
	c, err := a.caller(w, r)
	if err == nil && !c.Owner() {
		err = fault.LiveKeyRequired.Err()
	}
	return c, err
}

func unauthorized(w http.ResponseWriter) error {
	w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
	return fault.Unauthorized.Err()
}

// showsKey reports whether a request has a header for a key.
func showsKey(r *http.Request) bool {
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
