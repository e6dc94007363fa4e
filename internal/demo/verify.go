package demo

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
	leeway    = 30 * time.Second
)

// verified is a token that passed every check.
type verified struct {
	keyID, subject string
	claims         map[string]any
}

// verify checks a token as RFC 8725 and RFC 9068 want it: one algorithm, our
// issuer's key, the right kind of token, the issuer, the audience and the time.
func (a *App) verify(ctx context.Context, raw, clientID string) (*verified, error) {
	token, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return nil, distrust("alg")
	}
	header := token.Headers[0]
	if typ, _ := header.ExtraHeaders[jose.HeaderType].(string); typ != tokenType {
		return nil, distrust("typ")
	}
	key, err := a.key(ctx, header.KeyID)
	if err != nil {
		return nil, err
	}
	var claims jwt.Claims
	var all json.RawMessage
	if err := token.Claims(key, &claims, &all); err != nil {
		return nil, distrust("signature")
	}
	if claim := a.wrongClaim(&claims, clientID); claim != "" {
		return nil, distrust(claim)
	}
	v := verified{keyID: header.KeyID, subject: claims.Subject}
	if err := decode(all, &v.claims); err != nil {
		return nil, err
	}
	return &v, nil
}

// wrongClaim names the first claim that isn't as it must be.
func (a *App) wrongClaim(claims *jwt.Claims, clientID string) string {
	if claims.Expiry == nil {
		return "exp" // the library lets a token pass that never ends
	}
	if len(claims.Audience) != 1 {
		return "aud" // or another client of the service could spend the token here
	}
	err := claims.ValidateWithLeeway(jwt.Expected{Issuer: a.authURL, AnyAudience: jwt.Audience{clientID}, Time: a.now()}, leeway)
	switch {
	case err == nil && claims.Subject == "":
		return "sub"
	case err == nil:
		return ""
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return "iss"
	case errors.Is(err, jwt.ErrInvalidAudience):
		return "aud"
	case errors.Is(err, jwt.ErrExpired):
		return "exp"
	case errors.Is(err, jwt.ErrNotValidYet):
		return "nbf"
	default:
		return "iat"
	}
}

// key returns the published RS256 key with this id.
func (a *App) key(ctx context.Context, keyID string) (*jose.JSONWebKey, error) {
	status, body, err := a.call(ctx, http.MethodGet, "/.well-known/jwks.json", nil)
	if err != nil || status != http.StatusOK {
		return nil, &refusal{reason: "demo.reason_unreachable", detail: "JWKS"}
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, &refusal{reason: "demo.reason_unreachable", detail: "JWKS"}
	}
	for _, key := range set.Key(keyID) {
		if key.Algorithm == string(jose.RS256) && key.Use == "sig" && key.IsPublic() {
			return &key, nil
		}
	}
	return nil, distrust("kid")
}

// distrust says which check a token failed.
func distrust(check string) error { return &refusal{reason: "demo.reason_token", detail: check} }
