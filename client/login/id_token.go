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
	ScopeOpenID  = "openid"  // asks for an ID token
	ScopeProfile = "profile" // adds the name to it
	ScopePhone   = "phone"   // adds the number to it
)

// IDToken is the content of an ID token (OpenID Connect Core 1.0 §2) that belongs to the login and to its access token. Times are
// Unix seconds.
type IDToken struct {
	Subject   string `json:"sub"`       // the person, as in [Claims]
	AuthTime  int64  `json:"auth_time"` // when the words came
	SessionID string `json:"sid"`       // names the login
	TenantID  string `json:"tenant_id"`
	Mode      string `json:"mode"`
	Phone     string `json:"phone_number,omitempty"` // in E.164, with a plus; with [ScopePhone]
	Name      string `json:"name,omitempty"`         // what the person calls themselves, unverified; with [ScopeProfile]
	IssuedAt  int64  `json:"iat"`
	Expires   int64  `json:"exp"`

	Raw string `json:"raw"` // the token itself. Keep it for [StartOptions.IDTokenHint] and [Client.SignOutURL]
}

// idClaims are all the claims of an ID token that are checked.
type idClaims struct {
	IDToken

	Issuer          string `json:"iss"`
	Audience        string `json:"aud"`
	Nonce           string `json:"nonce"`
	AccessTokenHash string `json:"at_hash"`
}

// SignOutURL returns where to send the browser of a person who signs out, once their session at the application has ended. There, the
// access token of the ID token's login ends ([IDToken.Raw]; it can have ended 30 days ago), and the browser returns to returnTo,
// which must be one of the client's addresses for after sign-out, with state. An empty returnTo leads to a page of the service.
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

// idToken returns the content of an ID token that came with an access token, once it answers the attempt.
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

// problemOfID says why signed claims are not the answer to this attempt now, or "".
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

// ofIDToken says of an error that it is about the ID token.
func ofIDToken(err error) error {
	var own *Error
	if errors.As(err, &own) && own.Code == string(ErrInvalidToken) {
		return invalid("the ID token is not to be trusted: " + own.Problem)
	}
	return err
}
