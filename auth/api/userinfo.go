package api

import (
	"net/http"
	"strings"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

// userInfo is the response of /userinfo (OpenID Connect Core 1.0 §5.3.2).
type userInfo struct {
	Subject       string `json:"sub"`
	Phone         string `json:"phone_number,omitempty"` // with a plus
	PhoneVerified bool   `json:"phone_number_verified,omitempty"`
	Name          string `json:"name,omitempty"`
	tenant.Identity
}

// userinfo returns the current data of the person that an access token was issued for. No cookie is read, so pages of
// any origin can call it.
func (a *API) userinfo(w http.ResponseWriter, r *http.Request) error {
	raw, err := a.bearer(w, r)
	if err != nil {
		return err
	}
	if raw == "" {
		return challenge(w, apierror.AuthTokenMissing.Err(), "")
	}
	c, err := a.signer.Verify(r.Context(), raw)
	if err != nil {
		return err
	}
	if c == nil || c.Issuer != a.own.URL {
		if err := a.limits.countRefused(nil, r); err != nil {
			return err
		}
		return challenge(w, apierror.AuthTokenInvalid.Err(), "invalid_token")
	}
	if !oauth.HasScope(c.Scope, oauth.OpenIDScope) {
		return challenge(w, apierror.AuthScopeInsufficient.Err(), "insufficient_scope")
	}
	if err := a.limits.userinfo(c.ID); err != nil {
		return err
	}
	p, err := a.logins.TokenPerson(r.Context(), c.ID)
	if err != nil {
		return err
	}
	if p == nil {
		return challenge(w, apierror.AuthTokenInvalid.Err(), "invalid_token")
	}
	out := userInfo{Subject: p.ID}
	if oauth.HasScope(c.Scope, oauth.PhoneScope) {
		out.Phone, out.PhoneVerified = p.Phone.E164(), true
	}
	if oauth.HasScope(c.Scope, oauth.ProfileScope) {
		out.Name = p.DisplayName
	}
	client, err := a.tenants.Client(r.Context(), c.ClientID)
	if err != nil {
		return err
	}
	if client != nil {
		if out.Identity, err = a.identity(r.Context(), client, c.Scope, p.ID, p.DisplayName, p.Username); err != nil {
			return err
		}
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// bearer reads an access token from Authorization, or from a form (RFC 6750 §2). It returns "" if there is none.
func (a *API) bearer(w http.ResponseWriter, r *http.Request) (string, error) {
	inForm := ""
	if r.Method == http.MethodPost && httpx.MediaType(r) == httpx.TypeForm {
		form, err := a.http.ReadForm(w, r)
		if err != nil {
			return "", err
		}
		inForm = form.Get("access_token")
	}
	scheme, inHeader, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		inHeader = ""
	}
	if inForm != "" && inHeader != "" {
		return "", apierror.AuthMalformedParameter.On("access_token").Detailf("access_token was sent in the body and in Authorization.")
	}
	return strings.TrimSpace(inForm + inHeader), nil
}

// challenge adds the header that RFC 6750 §3 requires to a refusal. The header contains no error
// code if the request has no token.
func challenge(w http.ResponseWriter, e *apierror.Error, code string) error {
	value := `Bearer realm="griot"`
	if code != "" {
		value += `, error="` + code + `"`
	}
	if code == "insufficient_scope" {
		value += `, scope="` + oauth.OpenIDScope + `"`
	}
	w.Header().Set("WWW-Authenticate", value)
	return e
}
