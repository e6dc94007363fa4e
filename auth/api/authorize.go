package api

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"example.com/griot/auth/login"
	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

// Length of state, in characters. The operator may set a longer one.
const (
	minState = 16 // L19
	maxState = 256
)

// authorize starts a login. It responds to errors directly and never with a redirect,
// so no one is redirected to an unchecked address.
func (a *API) authorize(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet { // a HEAD must not start a login
		w.Header().Set("Allow", http.MethodGet)
		return apierror.AuthMethod.Err()
	}
	if err := a.limits.authorize(r); err != nil {
		return err
	}
	q, err := query(r)
	if err != nil {
		return err
	}
	client, err := a.authorizeClient(r, q)
	if err != nil {
		return err
	}
	if err := a.checkAuthorize(q, client); err != nil {
		return err
	}
	openID, subject, refusal, err := a.readOpenID(r, q, client)
	if err != nil {
		return err
	}
	if refusal != nil {
		return a.refuseOpenID(w, r, q, refusal)
	}
	if err := a.limits.authorizeClient(client.ClientID, r, len(q.Get("state"))+len(openID.Nonce)); err != nil {
		return err
	}
	id, token, err := a.logins.Start(r.Context(), login.Request{
		Client: client, RedirectURI: q.Get("redirect_uri"), State: q.Get("state"), Challenge: q.Get("code_challenge"), OpenID: openID, Subject: subject,
		Lang: web.Language(r), Caller: tenant.CallerOf(r.Context()),
	})
	if err != nil {
		a.warnRefused(err)
		return err
	}
	a.setSession(w, token, sessionTokens(r))
	web.KeepLocale(w, q.Get("ui_locales"))
	w.Header().Set("Location", "/waiting.html?loginKeyId="+id)
	return httpx.WriteJSON(w, http.StatusSeeOther, okBody{true})
}

// warnRefused warns once that LIVE logins are refused because no receiver is configured.
func (a *API) warnRefused(err error) {
	if errors.Is(err, apierror.AuthNoLoginNumber.Err()) {
		a.warnedRefused.Do(func() {
			a.http.Log.Warn("LIVE logins are refused, because no receiver is configured; set auth.receivers")
		})
	}
}

type okBody struct {
	OK bool `json:"ok"`
}

func (a *API) authorizeClient(r *http.Request, q url.Values) (*tenant.Client, error) {
	if q.Get("client_id") == "" {
		return nil, missing("client_id")
	}
	return activeClient(a.tenants.Client(r.Context(), q.Get("client_id")))
}

// activeClient refuses a client that doesn't exist or is disabled.
func activeClient(client *tenant.Client, err error) (*tenant.Client, error) {
	switch {
	case err != nil:
		return nil, err
	case client == nil:
		return nil, apierror.AuthUnknownClient.Err()
	case !client.Active:
		return nil, apierror.AuthClientInactive.Err()
	}
	return client, nil
}

// checkAuthorize checks the parameters of a known client's request.
func (a *API) checkAuthorize(q url.Values, client *tenant.Client) error {
	redirect, method, challenge := q.Get("redirect_uri"), q.Get("code_challenge_method"), q.Get("code_challenge")
	switch {
	case redirect == "":
		return missing("redirect_uri")
	case !oauth.Printable(redirect):
		return apierror.AuthMalformed("redirect_uri", "a URI")
	case !oauth.MatchRedirect(client.RedirectURIs, redirect, client.Ports()):
		return redirectMismatch(client, redirect)
	}
	if err := a.checkState(q, client); err != nil {
		return err
	}
	switch {
	case q.Get("response_type") != "" && q.Get("response_type") != "code":
		return apierror.AuthResponseType.Err()
	case challenge == "" && client.Type == tenant.Public:
		return apierror.AuthPKCERequired.Err()
	case challenge == "" && method == "":
		return nil
	case method != "" && method != oauth.MethodS256 || challenge == "": // a missing method means S256; plain, the default of RFC 7636 §4.3, is not supported
		return apierror.AuthPKCEMethod.Err()
	case !oauth.ValidChallenge(challenge):
		return apierror.AuthMalformed("code_challenge", "43 characters of base64url")
	}
	return nil
}

// redirectMismatch returns the refusal of an address. It names the setting with which the client could use the address.
func redirectMismatch(client *tenant.Client, redirect string) error {
	e := apierror.AuthRedirectMismatch.Err()
	if client.Type == tenant.Public && oauth.MatchRedirect(client.RedirectURIs, redirect, oauth.AnyPortOfIP) {
		return e.Detailf("redirect_uri has another port than the registered address. The client's setting anyLoopbackPort allows any port of 127.0.0.1 and [::1].")
	}
	return e
}

// query reads the parameters of a URL: UTF-8, and each at most once (RFC 6749 §3.1).
func query(r *http.Request) (url.Values, error) {
	q, err := httpx.ParseQuery(r.URL.RawQuery, "phone")
	if err != nil {
		return nil, apierror.AuthMalformedParameter.Err().Detailf("The query is malformed.")
	}
	for name, values := range q {
		if len(values) > 1 {
			return nil, apierror.AuthMalformedParameter.Err().Detailf("A parameter was sent more than once.")
		}
		if !utf8.ValidString(name+values[0]) || strings.ContainsRune(name+values[0], 0) {
			return nil, apierror.AuthMalformedParameter.Err().Detailf("The query must be UTF-8 without U+0000.")
		}
	}
	return q, nil
}
