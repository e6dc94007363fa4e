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

// verify checks a token as RFC 8725 and RFC 9068 require: one algorithm, a key of
// the issuer, the type, the issuer, the audience and the times.
func (a *App) verify(ctx context.Context, raw, clientID string) (*verified, error) {
	token, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return nil, invalidToken("alg")
	}
	header := token.Headers[0]
	if typ, _ := header.ExtraHeaders[jose.HeaderType].(string); typ != tokenType {
		return nil, invalidToken("typ")
	}
	key, err := a.key(ctx, header.KeyID)
	if err != nil {
		return nil, err
	}
	var claims jwt.Claims
	var all json.RawMessage
	if err := token.Claims(key, &claims, &all); err != nil {
		return nil, invalidToken("signature")
	}
	if claim := a.wrongClaim(&claims, clientID); claim != "" {
		return nil, invalidToken(claim)
	}
	v := verified{keyID: header.KeyID, subject: claims.Subject}
	if err := decode(all, &v.claims); err != nil {
		return nil, err
	}
	return &v, nil
}

// wrongClaim returns the name of the first invalid claim.
func (a *App) wrongClaim(claims *jwt.Claims, clientID string) string {
	if claims.Expiry == nil {
		return "exp" // the library accepts a token without it
	}
	if len(claims.Audience) != 1 {
		return "aud" // otherwise another client of the service could use the token here
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
	return nil, invalidToken("kid")
}

// invalidToken is the refusal of a token that failed a check.
func invalidToken(check string) error { return &refusal{reason: "demo.reason_token", detail: check} }
