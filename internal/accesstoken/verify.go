package accesstoken

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Type is the type of access tokens (RFC 9068).
const Type = "at+jwt"

const leeway = 30 * time.Second

// ErrKeys means that the service's keys can't be read.
var ErrKeys = errors.New("accesstoken: the service's keys can't be read")

// RefusedError means that a token is not to be trusted. Its text is the check that failed: alg, typ, kid, signature, or the
// name of a claim.
type RefusedError string

func (r RefusedError) Error() string { return "accesstoken: refused: " + string(r) }

// Expected is what a token must be.
type Expected struct {
	Issuer   string
	ClientID string
	Now      time.Time
	// KeySet returns the JSON of the service's key set (RFC 7517). It is called for tokens of the right algorithm and type.
	KeySet func() ([]byte, error)
}

// Token is a token that passed every check.
type Token struct {
	KeyID, Subject string
	Claims         json.RawMessage // all of them
}

// Verify checks a token as RFC 8725 and RFC 9068 require: one algorithm, a key of the issuer, the type, the issuer, the
// audience and the times.
//
// Errors: [RefusedError], [ErrKeys], and those of Expected.KeySet.
func Verify(raw string, e *Expected) (*Token, error) {
	parsed, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return nil, RefusedError("alg")
	}
	header := parsed.Headers[0]
	if typ, _ := header.ExtraHeaders[jose.HeaderType].(string); typ != Type {
		return nil, RefusedError("typ")
	}
	key, err := e.key(header.KeyID)
	if err != nil {
		return nil, err
	}
	t := &Token{KeyID: header.KeyID}
	var claims jwt.Claims
	if err := parsed.Claims(key, &claims, &t.Claims); err != nil {
		return nil, RefusedError("signature")
	}
	if claim := e.wrongClaim(&claims); claim != "" {
		return nil, RefusedError(claim)
	}
	t.Subject = claims.Subject
	return t, nil
}

// key returns the published RS256 key with an id.
func (e *Expected) key(keyID string) (*jose.JSONWebKey, error) {
	body, err := e.KeySet()
	if err != nil {
		return nil, err
	}
	var set jose.JSONWebKeySet
	if json.Unmarshal(body, &set) != nil {
		return nil, ErrKeys
	}
	for _, key := range set.Key(keyID) {
		if key.Algorithm == string(jose.RS256) && key.Use == "sig" && key.IsPublic() {
			return &key, nil
		}
	}
	return nil, RefusedError("kid")
}

// wrongClaim returns the name of the first invalid claim.
func (e *Expected) wrongClaim(claims *jwt.Claims) string {
	if claims.Expiry == nil {
		return "exp" // the library accepts a token without it
	}
	if len(claims.Audience) != 1 {
		return "aud" // otherwise another client of the service could use the token here
	}
	err := claims.ValidateWithLeeway(jwt.Expected{Issuer: e.Issuer, AnyAudience: jwt.Audience{e.ClientID}, Time: e.Now}, leeway)
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
