package api

import (
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/limit"
)

// tokenQuery is a request of revocation or introspection (RFC 7009 §2.1, RFC 7662
// §2.1). token_type_hint is ignored: there is one type.
type tokenQuery struct {
	Token        string `json:"token"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// revoke revokes a token of the client that it was issued to. An invalid or expired
// token needs no revocation, so the response is a success (RFC 7009 §2.2).
func (a *API) revoke(w http.ResponseWriter, r *http.Request) error {
	client, raw, err := a.readQuery(w, r, a.limits.revocations)
	if err != nil {
		return err
	}
	claims, err := a.claims(r, raw)
	if err != nil {
		return err
	}
	if claims != nil && claims.ClientID != client.ClientID {
		return apierror.AuthTokenClientMismatch.Err()
	}
	if claims != nil {
		a.limits.chargePublic(a.limits.revocations, client)
		if err := a.logins.RevokeToken(r.Context(), client, claims.ID, tenant.CallerOf(r.Context())); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// readQuery reads a tokenQuery as JSON or as a form, and authenticates its client.
func (a *API) readQuery(w http.ResponseWriter, r *http.Request, budget *limit.Limiter) (client *tenant.Client, raw string, err error) {
	in := &tokenQuery{}
	if httpx.MediaType(r) != httpx.TypeForm {
		if err := a.http.DecodeJSON(w, r, in); err != nil {
			return nil, "", err
		}
	} else {
		form, err := a.http.ReadForm(w, r)
		if err != nil {
			return nil, "", err
		}
		*in = tokenQuery{Token: form.Get("token"), ClientID: form.Get("client_id"), ClientSecret: form.Get("client_secret")}
	}
	client, err = a.authenticate(w, r, in.ClientID, in.ClientSecret, budget)
	return client, in.Token, err
}

// claims returns the claims of a token; nil if it is invalid or has expired.
func (a *API) claims(r *http.Request, raw string) (*token.Claims, error) {
	if raw == "" {
		return nil, missing("token")
	}
	return a.signer.Verify(r.Context(), raw)
}
