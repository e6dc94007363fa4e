package api

import (
	"html/template"
	"net/http"
	"net/url"
	"unicode/utf8"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

// isOpenID reports whether an authorization request is an OpenID Connect request.
func isOpenID(q url.Values) bool { return oauth.HasScope(q.Get("scope"), oauth.OpenIDScope) }

// checkState checks state, which is required without the scope openid (L19). With it, the client can leave state out if
// something else binds the response to its request (L183).
func (a *API) checkState(q url.Values, client *tenant.Client) error {
	state := q.Get("state")
	n := utf8.RuneCountInString(state)
	switch {
	case !isOpenID(q) && n == 0:
		return missing("state")
	case !isOpenID(q) && (n < minState || n > a.stateMax):
		return apierror.AuthStateLength.Err().Detailf("state must have %d to %d characters.", minState, a.stateMax)
	case n > oauth.MaxOpenIDState:
		return apierror.AuthStateLength.Err().Detailf("state must have at most %d characters.", oauth.MaxOpenIDState)
	case n == 0 && client.Type == tenant.Confidential && !client.Connect.StateOptional && q.Get("nonce") == "" && q.Get("code_challenge") == "":
		return apierror.AuthStateRequired.Err()
	}
	return nil
}

// readOpenID returns the OpenID Connect parameters of a request, and the person that its id_token_hint names. If Griot
// can't respond with a login, refusal holds the error. For any other request, all results are empty.
func (a *API) readOpenID(r *http.Request, q url.Values, client *tenant.Client) (openID oauth.OpenID, subject string, refusal *oauth.OpenIDError, err error) {
	if !isOpenID(q) {
		return openID, "", nil, nil
	}
	if openID, refusal = oauth.ParseOpenID(q, client.Connect.EmailDomain != ""); refusal != nil || q.Get("id_token_hint") == "" {
		return openID, "", refusal, nil
	}
	hint, err := a.signer.VerifyHint(r.Context(), q.Get("id_token_hint"))
	if err != nil {
		return openID, "", nil, err
	}
	if hint == nil || hint.Issuer != a.own.URL || hint.Audience != client.ClientID {
		return openID, "", &oauth.OpenIDError{Code: "invalid_request", Description: "id_token_hint is not an ID token of this client, or ended more than 30 days ago."}, nil
	}
	return openID, hint.Subject, nil, nil
}

// authorizeForm redirects an OpenID Connect request that was sent as a form to the same request as a URL. It starts
// nothing (OpenID Connect Core 1.0 §3.1.2.1). Without the scope openid, the method is not allowed.
func (a *API) authorizeForm(w http.ResponseWriter, r *http.Request) error {
	if httpx.MediaType(r) == httpx.TypeForm {
		form, err := a.http.ReadForm(w, r)
		if err != nil {
			return err
		}
		if isOpenID(form) {
			return seeOther(w, "/authorize?"+form.Encode())
		}
	}
	w.Header().Set("Allow", http.MethodGet)
	return apierror.AuthMethod.Err()
}

// refuseOpenID responds to an OpenID Connect request whose client and address are valid, but which can't be answered
// with a login. With prompt=none, the browser returns with the error. Otherwise the person decides, because an
// attacker's link to an address of the attacker's own client must not redirect without a click (RFC 9700 §4.11.2).
func (a *API) refuseOpenID(w http.ResponseWriter, r *http.Request, q url.Values, refusal *oauth.OpenIDError) error {
	redirectURI := q.Get("redirect_uri")
	response := a.logins.ErrorResponse(q.Get("state"), refusal.Code, refusal.Description)
	e := apierror.AuthOpenIDRequest.Err().Detailf("%s", refusal.Description)
	seen := httpx.SeenByPeople(r, showsErrors)
	switch {
	case q.Get("response_mode") == oauth.FormPost && seen:
		page := returnPage(redirectURI, response)
		page.Automatic, page.Wrong = refusal.Silent, refusal.Description
		return a.pages.ServeOnce(w, r, e.Kind.Status, web.PageReturn, page)
	case refusal.Silent && q.Get("response_mode") != oauth.FormPost:
		w.Header().Set("Location", oauth.Redirect(redirectURI, response...))
		return httpx.WriteJSON(w, http.StatusSeeOther, okBody{true})
	case !seen:
		return e
	}
	page := a.failure(w, e)
	page.BackURL, page.BackHost = template.URL(oauth.Redirect(redirectURI, response...)), oauth.Host(redirectURI) //nolint:gosec // a registered address
	return a.pages.ServeOnce(w, r, e.Kind.Status, web.PageError, page)
}

// returnByForm serves the page with which a browser returns to an application that wants a form. It shows the code only
// until the code is exchanged, so going back to the page or reloading it never sends a used code.
func (a *API) returnByForm(w http.ResponseWriter, r *http.Request, tokens []string) error {
	if err := getOnly(w, r); err != nil { // a HEAD would start the code's lifetime
		return err
	}
	v, _, err := a.polledView(r, tokens)
	if err != nil {
		return err
	}
	if v.RedirectURL == "" || !v.Session.OpenID.FormPost {
		return seeOther(w, plainAddress(v.Session))
	}
	page := returnPage(v.Session.RedirectURI, v.Response)
	page.Automatic = true
	return a.page(w, r, web.PageReturn, page)
}

func returnPage(redirectURI string, response []oauth.Param) *web.Return {
	page := &web.Return{Action: template.URL(redirectURI), Host: oauth.Host(redirectURI), Origin: oauth.Origin(redirectURI)} //nolint:gosec // a registered address
	for _, p := range response {
		page.Fields = append(page.Fields, web.ReturnField{Name: p.Name, Value: p.Value})
	}
	return page
}
