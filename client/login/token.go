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

// Leeway is the tolerated difference between the clocks of the service and of the application. [Client.Verify]
// accepts a token this long before its nbf and after its exp.
const Leeway = time.Minute

const (
	maxToken = 16 << 10
	maxTime  = 1 << 40 // in Unix seconds; far above any real time
)

// Claims are the content of a token. Times are in Unix seconds.
type Claims struct {
	Issuer        string   `json:"iss"`
	Subject       string   `json:"sub"` // identifies the person; stable for the tenant and mode. Use it, not the number, as the key of your accounts
	Audience      string   `json:"aud"`
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"iat"`
	NotBefore     int64    `json:"nbf"`
	Expires       int64    `json:"exp"`
	ID            string   `json:"jti"`
	AuthTime      int64    `json:"auth_time"` // the time at which the message with the words arrived
	Methods       []string `json:"amr"`
	TenantID      string   `json:"tenant_id"`
	Mode          string   `json:"mode"`
	Provider      string   `json:"provider"`     // whatsapp or sandbox
	Phone         string   `json:"phone_number"` // in E.164, with a plus sign
	PhoneVerified bool     `json:"phone_number_verified"`
	Name          string   `json:"name,omitempty"` // the name that the person has chosen; unverified

	KeyID string          `json:"-"` // the ID of the service's key that signed the token
	Raw   json.RawMessage `json:"-"` // all claims as received, including those that this version of the client does not have
}

// A header is the header of a token.
type header struct {
	Algorithm string          `json:"alg"`
	Type      string          `json:"typ"`
	KeyID     string          `json:"kid"`
	Critical  json.RawMessage `json:"crit"`
}

// Verify returns the claims of a token after checking its signature, issuer, client, mode, and lifetime. If a check
// fails, the error is [ErrInvalidToken]. If the service's keys cannot be fetched, Verify returns that error. Verify
// calls the service only to fetch missing keys, so it accepts revoked tokens until they expire.
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

// signed verifies the signature of a token and returns its header and payload.
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

// problem explains why signed claims are not valid for this client now. It returns "" if they are valid.
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

// problemOf makes the checks of [Client.problem] that apply to tokens of every kind.
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

// A kind is a kind of token, with the types that its header can have, in lowercase.
type kind struct {
	types   []string
	another string // the error text for a token with another type
}

var (
	kindAccess = kind{[]string{"at+jwt", "application/at+jwt"}, "it is no access token"}
	kindID     = kind{[]string{"jwt"}, "it is no ID token"}
)

// parse splits a token. It requires the algorithm and the type that the service uses, so that the token cannot choose them.
func parse(token string, k kind) (h header, payload, signature []byte, err error) {
	if len(token) > maxToken {
		return h, nil, nil, invalid("it is too long")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return h, nil, nil, invalid("it is no signed token")
	}
	if strings.ContainsAny(token, "\r\n") { // base64 ignores line breaks, also in strict mode
		return h, nil, nil, invalid("it cannot be read")
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
