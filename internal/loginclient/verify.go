package loginclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	tokenType = "at+jwt" // RFC 9068
	liveMode  = "LIVE"
	whatsApp  = "whatsapp"
	leeway    = 30 * time.Second
)

// claims are what a token says beside the registered claims.
type claims struct {
	Mode     string `json:"mode"`
	Provider string `json:"provider"`
	Phone    string `json:"phone_number"`
	Verified bool   `json:"phone_number_verified"`
}

// verify checks a token as RFC 8725 and RFC 9068 require (one algorithm, a key of the issuer, type, issuer, audience,
// times), and that its person has proved a real number on WhatsApp.
func (c *Client) verify(ctx context.Context, raw string) (*Person, error) {
	token, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return nil, RefusedError("alg")
	}
	header := token.Headers[0]
	if typ, _ := header.ExtraHeaders[jose.HeaderType].(string); typ != tokenType {
		return nil, RefusedError("typ")
	}
	key, err := c.key(ctx, header.KeyID)
	if err != nil {
		return nil, err
	}
	var registered jwt.Claims
	var own claims
	if err := token.Claims(key, &registered, &own); err != nil {
		return nil, RefusedError("signature")
	}
	clientID, _ := c.o.Credentials()
	switch err := registered.ValidateWithLeeway(jwt.Expected{Issuer: c.o.Service, AnyAudience: jwt.Audience{clientID}, Time: c.o.Now()}, leeway); {
	case err != nil:
		return nil, RefusedError("claims")
	case registered.Expiry == nil: // the library takes a token without it
		return nil, RefusedError("exp")
	case len(registered.Audience) != 1: // else another client of the service could use its token here
		return nil, RefusedError("aud")
	case registered.Subject == "":
		return nil, RefusedError("sub")
	case own.Mode != liveMode:
		return nil, RefusedError("mode")
	case own.Provider != whatsApp:
		return nil, RefusedError("provider")
	case own.Phone == "" || !own.Verified:
		return nil, RefusedError("phone_number")
	}
	return &Person{Issuer: c.o.Service, Subject: registered.Subject, Phone: own.Phone}, nil
}

// key returns the published RS256 key with an id.
func (c *Client) key(ctx context.Context, keyID string) (*jose.JSONWebKey, error) {
	status, body, err := c.call(ctx, http.MethodGet, "/.well-known/jwks.json", nil)
	if err != nil {
		return nil, err
	}
	var set jose.JSONWebKeySet
	if status != http.StatusOK || json.Unmarshal(body, &set) != nil {
		return nil, errors.New("loginclient: the keys can't be read")
	}
	for _, key := range set.Key(keyID) {
		if key.Algorithm == string(jose.RS256) && key.Use == "sig" && key.IsPublic() {
			return &key, nil
		}
	}
	return nil, RefusedError("kid")
}
