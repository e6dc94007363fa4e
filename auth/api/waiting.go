package api

import (
	"net/http"
	"strings"
	"sync"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/isotime"
	"example.com/griot/web"
)

// statusRoute returns the route of polls. [API.waitingStatus] handles those that it can, and [API.status] the others.
func (a *API) statusRoute(path string) httpx.Route {
	route := a.loginPoll(path, a.status)
	others := route.Handler
	route.Handler = a.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		done, err := a.waitingStatus(w, r)
		if !done {
			others.ServeHTTP(w, r)
		}
		return err
	})
	return route
}

// waitingStatus handles the most frequent poll from the cache: one id, one cookie, and
// a login that waits. For any other request it writes nothing, and done is false.
func (a *API) waitingStatus(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	loginKeyID, ok := onlyLogin(r)
	if !ok {
		return false, nil
	}
	var room [maxCookieLogins]string
	tokens, ok := readOneCookie(r, room[:0])
	if !ok {
		return false, nil
	}
	waiting, ok := a.logins.Waiting(loginKeyID, tokens)
	if !ok {
		return false, nil
	}
	if err := a.limits.status(loginKeyID); err != nil {
		return true, err
	}
	b := buffers.Get().(*[]byte) //nolint:forcetypeassert // the pool's own type
	defer buffers.Put(b)
	*b = appendWaiting((*b)[:0], loginKeyID, &waiting)
	httpx.WriteJSONBytes(w, http.StatusOK, *b)
	return true, nil
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// readOneCookie reads the cookie of a browser that sends no others. If ok is false,
// [sessionTokens] must read the cookies.
func readOneCookie(r *http.Request, tokens []string) (_ []string, ok bool) {
	cookies := r.Header["Cookie"]
	if len(cookies) != 1 {
		return nil, false
	}
	value, ok := strings.CutPrefix(cookies[0], sessionCookie+"=")
	if !ok || strings.ContainsAny(value, `;" `) {
		return nil, false
	}
	for t := range strings.SplitSeq(value, ".") {
		if len(t) != httpx.TokenLength || len(tokens) == maxCookieLogins {
			return nil, false
		}
		tokens = append(tokens, t)
	}
	return tokens, true
}

// onlyLogin returns the id of a query that has no other parameters.
func onlyLogin(r *http.Request) (loginKeyID string, ok bool) {
	loginKeyID, ok = strings.CutPrefix(r.URL.RawQuery, "loginKeyId=")
	return loginKeyID, ok && id.Valid(loginKeyID)
}

// waitingLogin returns the login for the waiting page before the first poll, if the login waits and belongs to the
// browser; otherwise nil. The query must have no other parameter, because the page would repeat it next to the words,
// and its compressed length could reveal them ([web.Pages.Serve]). reachable is false if the login waits for words to a
// number that is no longer configured.
func (a *API) waitingLogin(r *http.Request) (found *web.WaitingLogin, reachable bool) {
	loginKeyID, ok := onlyLogin(r)
	tokens := sessionTokens(r)
	if !ok || len(tokens) == 0 {
		return nil, true
	}
	v, ok := a.logins.Waiting(loginKeyID, tokens)
	if !ok { // another node started it, or it doesn't wait: read the row and cache it, as for a poll
		session, err := a.logins.Owned(r.Context(), loginKeyID, tokens)
		if err != nil {
			return nil, true
		}
		if a.logins.Unreachable(session) {
			return nil, false
		}
		if v, ok = a.logins.Waiting(loginKeyID, tokens); !ok {
			return nil, true
		}
	}
	if v.NoReceiver {
		return nil, false
	}
	out := &web.WaitingLogin{
		Tenant: v.TenantName, Host: v.Host, Words: strings.Fields(v.Words), Test: v.Mode == tenant.Test, Activated: v.Status == login.Activated,
		ExpiresAt: isotime.Format(v.ExpiresAt), At: isotime.Format(v.At), Left: v.ExpiresAt.Sub(v.At), Lifetime: login.ProveTime, Held: string(v.Held),
	}
	if c, err := a.tenants.Client(r.Context(), v.ClientID); err == nil && c != nil {
		out.Accent, out.Logo = c.TenantAccent, c.TenantLogo
	}
	return out, true
}

// appendWaiting appends a statusOut as encoding/json encodes it.
func appendWaiting(b []byte, loginKeyID string, v *login.Waiting) []byte {
	b = append(append(b, `{"id":"`...), loginKeyID...)
	b = append(append(b, `","status":"`...), v.Status...)
	b = append(append(b, `","mode":"`...), v.Mode...)
	b = httpx.AppendJSON(append(b, `","matchingWords":`...), v.Words)
	b = v.ExpiresAt.UTC().AppendFormat(append(b, `,"expiresAt":"`...), isotime.Layout)
	b = v.At.UTC().AppendFormat(append(b, `","serverTime":"`...), isotime.Layout)
	b = httpx.AppendJSON(append(b, `","tenantName":`...), v.TenantName)
	if v.Held != "" {
		b = append(append(append(b, `,"held":"`...), v.Held...), '"')
	}
	return append(b, "}\n"...)
}
