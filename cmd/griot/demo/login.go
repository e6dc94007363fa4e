package demo

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

const lifetime = 10 * time.Minute // of an attempt

// attempt is a login that this browser has started, as stored in its cookie.
type attempt struct {
	login.Attempt
	Client int // its index
	Until  time.Time
}

// attemptCookie returns the cookie of one attempt, so that two tabs don't interfere. Its name contains the first
// characters of the state, which are as random as the rest.
func (a *App) attemptCookie(state string) httpx.TokenCookie {
	return httpx.TokenCookie{Name: "griot_demo_" + state[:min(8, len(state))], Path: startPath, Secure: strings.HasPrefix(a.baseURL, "https:")}
}

// start redirects the browser to the login service.
func (a *App) start(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n >= len(a.clients) {
		a.refuse(w, r, http.StatusNotFound, refusal{reason: "demo.reason_client"})
		return
	}
	begun := attempt{*a.clients[n].login.Attempt(login.StartOptions{}), n, a.now().Add(lifetime)}
	plain, err := json.Marshal(begun)
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	a.attemptCookie(begun.State).Set(w, a.attempts.Seal(plain, begun.State), int(lifetime.Seconds()))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, begun.URL, http.StatusSeeOther)
}

// takeAttempt returns the attempt that this browser started with state, and deletes its cookie, because a state is
// used only once. It returns nil if there is none.
func (a *App) takeAttempt(w http.ResponseWriter, r *http.Request, state string) *attempt {
	cookie := a.attemptCookie(state)
	plain, ok, _ := httpx.OneOf(cookie.Values(r), func(value string) ([]byte, bool, error) {
		plain, err := a.attempts.Open(value, state)
		return plain, err == nil, nil
	})
	var of attempt
	if !ok || json.Unmarshal(plain, &of) != nil || of.State != state || !a.now().Before(of.Until) {
		return nil
	}
	cookie.Clear(w)
	return &of
}

// refusal is the reason that a login failed.
type refusal struct {
	reason string // the key of a text
	code   string // the login service's error code
	detail string // its description, or the failed check
}

func (a *App) refuse(w http.ResponseWriter, r *http.Request, status int, why refusal) {
	a.render(w, r, status, web.PageDemoError, web.DemoError{
		Reason: language(r).T(why.reason), Code: why.code, Detail: why.detail, StartURL: a.baseURL + startPath,
	})
}

// errorCode matches an error code (RFC 6749 §4.1.2.1, narrowed to the codes in use).
var errorCode = regexp.MustCompile(`^[a-z_]{1,64}$`)

// callback is the redirect address of all demo clients.
func (a *App) callback(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	begun := a.takeAttempt(w, r, query.Get("state"))
	switch {
	case query.Get("error") != "":
		refused := refusal{reason: "demo.reason_denied"}
		if code := query.Get("error"); errorCode.MatchString(code) {
			refused.code = code
		}
		if begun != nil { // otherwise anyone could put a text on this page
			refused.detail = query.Get("error_description")
		}
		a.refuse(w, r, http.StatusBadRequest, refused)
	case begun == nil:
		a.render(w, r, http.StatusOK, web.PageDemoError, web.DemoError{Stray: true, Reason: language(r).T("demo.reason_stray"), StartURL: a.baseURL + startPath})
	default:
		a.finish(w, r, begun, query)
	}
}

// finish exchanges the code and shows the token's claims.
func (a *App) finish(w http.ResponseWriter, r *http.Request, begun *attempt, query url.Values) {
	c := &a.clients[begun.Client]
	who, err := c.login.Complete(r.Context(), query, &begun.Attempt)
	if err != nil {
		status, why := explain(err)
		a.refuse(w, r, status, why)
		return
	}
	a.render(w, r, http.StatusOK, web.PageDemoDone, web.DemoDone{
		Client: a.clientData(begun.Client), Checks: a.checks(language(r), &c.Client, who.Claims),
		Claims: factsOf(who.Claims.Raw), IDToken: factsOf(payloadOf(who.IDToken.Raw)), Profile: factsOf(profileOf(who)), StartURL: a.baseURL + startPath,
	})
}

// explain returns the status and the text for an error of the login client.
func explain(err error) (int, refusal) {
	var refused *griot.Error
	switch {
	case errors.Is(err, login.ErrIssuerMismatch):
		return http.StatusBadRequest, refusal{reason: "demo.reason_issuer"}
	case errors.Is(err, login.ErrAccessDenied):
		return http.StatusBadRequest, refusal{reason: "demo.reason_code"}
	case errors.Is(err, login.ErrInvalidToken):
		own, _ := errors.AsType[*login.Error](err)
		return http.StatusBadGateway, refusal{reason: "demo.reason_token", detail: own.Problem}
	case errors.As(err, &refused) && refused.Code != griot.CodeUnexpected:
		return http.StatusBadGateway, refusal{reason: "demo.reason_exchange", code: refused.Code, detail: refused.Message}
	}
	return http.StatusBadGateway, refusal{reason: "demo.reason_unreachable"}
}
