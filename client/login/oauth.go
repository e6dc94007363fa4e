package login

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"example.com/griot/client/internal/wire"
)

// A TokenResponse is the result of exchanging a code. Do not trust its content before [Client.Verify] has checked the token.
type TokenResponse struct {
	AccessToken string    `json:"access_token"`
	TokenType   string    `json:"token_type"` // Bearer
	ExpiresIn   int64     `json:"expires_in"` // in seconds
	Subject     string    `json:"subject"`
	IssuedAt    time.Time `json:"issued_at"`
	Profile     Profile   `json:"profile"`
	IDToken     string    `json:"id_token,omitempty"` // only in OpenID Connect logins. [Client.Complete] checks it
}

// A Profile describes a person as one tenant knows them.
type Profile struct {
	ID          string          `json:"id"` // the subject of the token
	TenantID    string          `json:"tenant_id"`
	PhoneE164   string          `json:"phone_e164"` // without a plus sign
	DisplayName string          `json:"display_name"`
	Provider    string          `json:"provider"` // whatsapp or sandbox
	Mode        string          `json:"mode"`
	FirstSeenAt time.Time       `json:"first_seen_at"`
	Metadata    json.RawMessage `json:"metadata"`
}

// Exchange exchanges a code, which works only once. If the response is lost, Exchange does not retry. It returns a
// [*griot.UnansweredError], and the person must sign in again. [Client.Complete] calls Exchange.
func (c *Client) Exchange(ctx context.Context, code, verifier string) (*TokenResponse, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {c.redirectURI}, "code_verifier": {verifier}}
	out := &TokenResponse{}
	if err := c.post(ctx, "/oauth2/token", form, true, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Revoke revokes one of the client's own tokens. An expired or unknown token is not an error. [Client.Introspect]
// reports the revocation, but a check of the signature, such as [Client.Verify], does not.
func (c *Client) Revoke(ctx context.Context, token string) error {
	return c.post(ctx, "/oauth2/revoke", url.Values{"token": {token}}, false, nil)
}

// An Introspection is the current state of one of the client's tokens. The fields after Active are set only if the token is active.
type Introspection struct {
	Active    bool   `json:"active"`
	Issuer    string `json:"iss,omitempty"`
	Subject   string `json:"sub,omitempty"`
	Audience  string `json:"aud,omitempty"`
	ClientID  string `json:"client_id,omitempty"`
	Expires   int64  `json:"exp,omitempty"` // Unix seconds, like the next two
	IssuedAt  int64  `json:"iat,omitempty"`
	NotBefore int64  `json:"nbf,omitempty"`
	ID        string `json:"jti,omitempty"`
	TokenType string `json:"token_type,omitempty"`
}

// Introspect returns the current state of a token. It requires a CONFIDENTIAL client. Tokens of other clients are
// reported as inactive.
func (c *Client) Introspect(ctx context.Context, token string) (*Introspection, error) {
	out := &Introspection{}
	if err := c.post(ctx, "/oauth2/introspect", url.Values{"token": {token}}, false, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Metadata contains the endpoints of the service (RFC 8414). Raw is the complete document.
type Metadata struct {
	Issuer                string `json:"issuer"`
	AuthorizationEndpoint string `json:"authorization_endpoint"`
	TokenEndpoint         string `json:"token_endpoint"`
	JWKSURI               string `json:"jwks_uri"`
	RevocationEndpoint    string `json:"revocation_endpoint"`
	IntrospectionEndpoint string `json:"introspection_endpoint"`
	PolicyURI             string `json:"op_policy_uri,omitempty"`
	TermsURI              string `json:"op_tos_uri,omitempty"`
	Raw                   []byte `json:"-"`
}

// Metadata reads the service's metadata. It returns [ErrIssuerMismatch] if the service has another issuer. In that
// case, the client's Issuer is wrong, or the service is configured with another address.
func (c *Client) Metadata(ctx context.Context) (*Metadata, error) {
	out := &Metadata{}
	err := c.wire.Do(ctx, wire.Call{Method: http.MethodGet, Path: "/.well-known/oauth-authorization-server"}, func(a *wire.Answer) error {
		if !a.Decode(out) {
			return errorOf(a)
		}
		if out.Issuer != c.issuer {
			return &Error{string(ErrIssuerMismatch), "the service calls itself by another name"}
		}
		out.Raw = a.Body
		return nil
	})
	if err != nil {
		return nil, outcome(err)
	}
	return out, nil
}
