package login

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"time"
)

// The scopes of OpenID Connect, for [Options.Scopes].
const (
	ScopeOpenID  = "openid"  // requests an ID token
	ScopeProfile = "profile" // adds the name to the ID token
	ScopePhone   = "phone"   // adds the phone number to the ID token
)

// An IDToken is the content of a verified ID token (OpenID Connect Core 1.0 §2) that belongs to a login and its
// access token. Times are in Unix seconds.
type IDToken struct {
	Subject   string `json:"sub"`       // the person, as in [Claims]
	AuthTime  int64  `json:"auth_time"` // the time at which the message with the words arrived
	SessionID string `json:"sid"`       // identifies the login
	TenantID  string `json:"tenant_id"`
	Mode      string `json:"mode"`
	Phone     string `json:"phone_number,omitempty"` // in E.164, with a plus sign; only with [ScopePhone]
	Name      string `json:"name,omitempty"`         // the name that the person has chosen, unverified; only with [ScopeProfile]
	IssuedAt  int64  `json:"iat"`
	Expires   int64  `json:"exp"`

	Raw string `json:"raw"` // the encoded token. Keep it for [StartOptions.IDTokenHint] and [Client.SignOutURL]
}

// idClaims are the claims of an ID token that are checked.
type idClaims struct {
	IDToken

	Issuer          string `json:"iss"`
	Audience        string `json:"aud"`
	Nonce           string `json:"nonce"`
	AccessTokenHash string `json:"at_hash"`
}

// SignOutURL returns the address to which to redirect the browser of a person who signs out. End the person's session
// at the application first. The service revokes the access token of the login of idToken, which is an [IDToken.Raw]
// and can have expired up to 30 days ago. Then it redirects the browser to returnTo with the parameter state.
// returnTo must be one of the client's registered post-logout redirect URIs. If it is empty, the browser stays on a
// page of the service.
func (c *Client) SignOutURL(idToken, returnTo, state string) string {
	q := url.Values{"id_token_hint": {idToken}, "client_id": {c.clientID}}
	if returnTo != "" {
		q.Set("post_logout_redirect_uri", returnTo)
	}
	if state != "" {
		q.Set("state", state)
	}
	return c.issuer + "/oauth2/logout?" + q.Encode()
}

// idToken verifies an ID token that came with an access token, and returns its content if it belongs to the attempt.
func (c *Client) idToken(ctx context.Context, token, accessToken string, access *Claims, a *Attempt) (*IDToken, error) {
	if token == "" {
		return nil, invalid("the service has sent no ID token")
	}
	_, payload, err := c.signed(ctx, token, kindID)
	if err != nil {
		return nil, ofIDToken(err)
	}
	claims := &idClaims{}
	if json.Unmarshal(payload, claims) != nil {
		return nil, ofIDToken(invalid("what it says cannot be read"))
	}
	if problem := c.problemOfID(claims, accessToken, access, a); problem != "" {
		return nil, ofIDToken(invalid(problem))
	}
	claims.Raw = token
	return &claims.IDToken, nil
}

// problemOfID explains why signed claims do not belong to this attempt or are not valid now. It returns "" if they are valid.
func (c *Client) problemOfID(claims *idClaims, accessToken string, access *Claims, a *Attempt) string {
	hash := sha256.Sum256([]byte(accessToken))
	half := base64.RawURLEncoding.EncodeToString(hash[:len(hash)/2])
	if problem := c.problemOf(claims.Issuer, claims.Audience, claims.Mode, claims.Expires); problem != "" {
		return problem
	}
	switch {
	case claims.IssuedAt <= 0 || claims.IssuedAt > maxTime || !c.now().After(time.Unix(claims.IssuedAt, 0).Add(-Leeway)):
		return "it was issued in the future: is the clock right?"
	case subtle.ConstantTimeCompare([]byte(claims.Nonce), []byte(a.Nonce)) != 1:
		return "it is of another login"
	case subtle.ConstantTimeCompare([]byte(claims.AccessTokenHash), []byte(half)) != 1:
		return "it belongs to another access token"
	case claims.Subject != access.Subject:
		return "it names somebody else than the access token"
	}
	return ""
}

// ofIDToken changes an error about a token so that its text names the ID token.
func ofIDToken(err error) error {
	var own *Error
	if errors.As(err, &own) && own.Code == string(ErrInvalidToken) {
		return invalid("the ID token is not to be trusted: " + own.Problem)
	}
	return err
}
