package api

import (
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

// introspection is the response of /oauth2/introspect (RFC 7662 §2.2).
type introspection struct {
	Active    bool   `json:"active"`
	Issuer    string `json:"iss,omitempty"`
	Subject   string `json:"sub,omitempty"`
	Audience  string `json:"aud,omitempty"`
	ClientID  string `json:"client_id,omitempty"`
	Expires   int64  `json:"exp,omitempty"`
	IssuedAt  int64  `json:"iat,omitempty"`
	NotBefore int64  `json:"nbf,omitempty"`
	ID        string `json:"jti,omitempty"`
	TokenType string `json:"token_type,omitempty"`
	Scope     string `json:"scope,omitempty"` // of a login with the scope openid
}

// introspect reports to a CONFIDENTIAL client whether one of its own tokens is active.
// Every other token is reported as not active.
func (a *API) introspect(w http.ResponseWriter, r *http.Request) error {
	if httpx.ForeignOrigin(r, a.own.URL) {
		return apierror.AuthOriginMismatch.Err()
	}
	client, raw, err := a.readQuery(w, r, a.limits.introspections)
	if err != nil {
		return err
	}
	if client.Type != tenant.Confidential {
		return apierror.AuthClientPublic.Err()
	}
	c, err := a.claims(r, raw)
	if err != nil {
		return err
	}
	out := introspection{}
	if c != nil && c.ClientID == client.ClientID && c.Issuer == a.own.URL {
		live, err := a.logins.TokenLive(r.Context(), c.ID)
		if err != nil {
			return err
		}
		if live {
			out = introspection{
				Active: true, Issuer: c.Issuer, Subject: c.Subject, Audience: c.Audience, ClientID: c.ClientID,
				Expires: c.Expires, IssuedAt: c.IssuedAt, NotBefore: c.NotBefore, ID: c.ID, TokenType: "Bearer", Scope: c.Scope,
			}
		}
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
