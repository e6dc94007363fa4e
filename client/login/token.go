package login

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Leeway is how far apart the clocks of the service and of the application can be: [Client.Verify] accepts a token this long
// before its nbf and after its exp.
const Leeway = time.Minute

const (
	maxToken = 16 << 10
	maxTime  = 1 << 40 // Unix seconds that can be told from others
)

// Claims are what a token says. Times are Unix seconds.
type Claims struct {
	Issuer        string   `json:"iss"`
	Subject       string   `json:"sub"` // the person: stable for the tenant and its mode. Keep it as the key of your accounts, not the number
	Audience      string   `json:"aud"`
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"iat"`
	NotBefore     int64    `json:"nbf"`
	Expires       int64    `json:"exp"`
	ID            string   `json:"jti"`
	AuthTime      int64    `json:"auth_time"` // when the words came
	Methods       []string `json:"amr"`
	TenantID      string   `json:"tenant_id"`
	Mode          string   `json:"mode"`
	Provider      string   `json:"provider"`     // whatsapp or sandbox
	Phone         string   `json:"phone_number"` // in E.164, with a plus
	PhoneVerified bool     `json:"phone_number_verified"`
	Name          string   `json:"name,omitempty"` // what the person calls themselves; unverified

	KeyID string          `json:"-"` // of the service's key that has signed the token
	Raw   json.RawMessage `json:"-"` // all claims as they came, with those that are newer than this client
}

// header is that of a token.
type header struct {
	Algorithm string          `json:"alg"`
	Type      string          `json:"typ"`
	KeyID     string          `json:"kid"`
	Critical  json.RawMessage `json:"crit"`
}

// Verify returns what a token says, once it is signed by the issuer, for this client and in its mode, and is not over. Else
// the error is [ErrInvalidToken], or that of fetching the service's keys. It asks the service only for keys that it does not
// have: a token that was revoked is still right here.
func (c *Client) Verify(ctx context.Context, token string) (*Claims, error) {
	h, payload, err := c.signed(ctx, token, kindAccess)
	if err != nil {
		return nil, err
	}
	claims := &Claims{KeyID: h.KeyID, Raw: payload}
	if json.Unmarshal(payload, claims) != nil {
		return nil, invalid("what it says cannot be read")
	}
	if problem := c.problem(claims); problem != "" {
		return nil, invalid(problem)
	}
	return claims, nil
}

// signed returns the header and the payload of a token that the service has signed.
func (c *Client) signed(ctx context.Context, token string, k kind) (h header, payload []byte, err error) {
	h, payload, signature, err := parse(token, k)
	if err != nil {
		return h, nil, err
	}
	key, err := c.key(ctx, h.KeyID)
	if err != nil {
		return h, nil, err
	}
	if key == nil {
		return h, nil, invalid("its key is not one of the service")
	}
	digest := sha256.Sum256([]byte(token[:strings.LastIndexByte(token, '.')]))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil {
		return h, nil, invalid("its signature is wrong")
	}
	return h, payload, nil
}

// problem says why claims that are signed are not for this client now, or "".
func (c *Client) problem(claims *Claims) string {
	if problem := c.problemOf(claims.Issuer, claims.Audience, claims.Mode, claims.Expires); problem != "" {
		return problem
	}
	switch {
	case claims.NotBefore <= 0 || claims.NotBefore > maxTime || !c.now().After(time.Unix(claims.NotBefore, 0).Add(-Leeway)):
		return "it is not valid yet: is the clock right?"
	case claims.Subject == "":
		return "it names nobody"
	}
	return ""
}

// problemOf is the part of [Client.problem] that holds for tokens of each kind.
func (c *Client) problemOf(issuer, audience, mode string, expires int64) string {
	switch {
	case issuer != c.issuer:
		return "another service has issued it"
	case audience != c.clientID:
		return "it is for another application"
	case mode != c.mode:
		return "its mode is not " + c.mode
	case expires <= 0 || expires > maxTime || !c.now().Before(time.Unix(expires, 0).Add(Leeway)):
		return "it has expired"
	}
	return ""
}

// kind is a kind of token: the types that its header can have, in lower case.
type kind struct {
	types   []string
	another string // the problem of a token with another type
}

var (
	kindAccess = kind{[]string{"at+jwt", "application/at+jwt"}, "it is no access token"}
	kindID     = kind{[]string{"jwt"}, "it is no ID token"}
)

// parse splits a token. Its algorithm and its type are those of the service's, not what the token chooses.
func parse(token string, k kind) (h header, payload, signature []byte, err error) {
	if len(token) > maxToken {
		return h, nil, nil, invalid("it is too long")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return h, nil, nil, invalid("it is no signed token")
	}
	var raw [3][]byte
	for i, part := range parts {
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil || len(raw[i]) == 0 {
			return h, nil, nil, invalid("it cannot be read")
		}
	}
	if json.Unmarshal(raw[0], &h) != nil {
		return h, nil, nil, invalid("it cannot be read")
	}
	switch {
	case h.Algorithm != "RS256":
		err = invalid("its algorithm is not RS256")
	case !slices.Contains(k.types, strings.ToLower(h.Type)):
		err = invalid(k.another)
	case h.KeyID == "":
		err = invalid("it names no key")
	case h.Critical != nil:
		err = invalid("it asks for more than this client knows")
	}
	return h, raw[1], raw[2], err
}
