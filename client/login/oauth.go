package login

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"example.com/griot/client/internal/wire"
)

// TokenResponse is what a code was exchanged for. Nothing of it is to be trusted before [Client.Verify] has checked the token.
type TokenResponse struct {
	AccessToken string    `json:"access_token"`
	TokenType   string    `json:"token_type"` // Bearer
	ExpiresIn   int64     `json:"expires_in"` // seconds
	Subject     string    `json:"subject"`
	IssuedAt    time.Time `json:"issued_at"`
	Profile     Profile   `json:"profile"`
	IDToken     string    `json:"id_token,omitempty"` // of a login by OpenID Connect. [Client.Complete] checks it
}

// Profile is a person as one tenant knows them.
type Profile struct {
	ID          string          `json:"id"` // the token's subject
	TenantID    string          `json:"tenant_id"`
	PhoneE164   string          `json:"phone_e164"` // without a plus
	DisplayName string          `json:"display_name"`
	Provider    string          `json:"provider"` // whatsapp or sandbox
	Mode        string          `json:"mode"`
	FirstSeenAt time.Time       `json:"first_seen_at"`
	Metadata    json.RawMessage `json:"metadata"`
}

// Exchange exchanges a code, which works once. It is not sent again when its answer is lost: that is a
// [*griot.UnansweredError], and the person starts again. [Client.Complete] calls it.
func (c *Client) Exchange(ctx context.Context, code, verifier string) (*TokenResponse, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {c.redirectURI}, "code_verifier": {verifier}}
	out := &TokenResponse{}
	if err := c.post(ctx, "/oauth2/token", form, true, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Revoke gives one of the client's own tokens back. One that is over, or none, is no error. Whoever verifies tokens by the
// keys alone learns nothing of it; [Client.Introspect] does.
func (c *Client) Revoke(ctx context.Context, token string) error {
	return c.post(ctx, "/oauth2/revoke", url.Values{"token": {token}}, false, nil)
}

// Introspection is what one of the client's tokens is worth now. The members after Active are there when it is.
type Introspection struct {
	Active    bool   `json:"active"`
	Issuer    string `json:"iss,omitempty"`
	Subject   string `json:"sub,omitempty"`
	Audience  string `json:"aud,omitempty"`
	ClientID  string `json:"client_id,omitempty"`
	Expires   int64  `json:"exp,omitempty"` // Unix seconds, as the next two
	IssuedAt  int64  `json:"iat,omitempty"`
	NotBefore int64  `json:"nbf,omitempty"`
	ID        string `json:"jti,omitempty"`
	TokenType string `json:"token_type,omitempty"`
}

// Introspect asks what a token is worth now. It is for CONFIDENTIAL clients; tokens of others are not active.
func (c *Client) Introspect(ctx context.Context, token string) (*Introspection, error) {
	out := &Introspection{}
	if err := c.post(ctx, "/oauth2/introspect", url.Values{"token": {token}}, false, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Metadata is where the service has what (RFC 8414). Raw has all of it.
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

// Metadata reads the service's metadata. A service whose issuer is another is [ErrIssuerMismatch]: the client's Issuer is
// wrong, or the service does not know its own address.
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
