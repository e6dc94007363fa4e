package token

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
)

// JWK is a public key in a JWKS.
type JWK struct {
	Kty string `json:"kty"`
	N   string `json:"n"`
	E   string `json:"e"`
	Kid string `json:"kid"`
	Alg string `json:"alg"`
	Use string `json:"use"`
}

// JWKS is the body of /.well-known/jwks.json.
type JWKS struct {
	Keys []JWK `json:"keys"`
}

func newJWK(key *rsa.PublicKey) JWK {
	k := JWK{
		Kty: "RSA", Alg: "RS256", Use: "sig",
		N: base64.RawURLEncoding.EncodeToString(key.N.Bytes()),
		E: base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
	}
	k.Kid = thumbprint(k)
	return k
}

// publicKey returns the publicKey that k describes.
func (k *JWK) publicKey() (*rsa.PublicKey, error) {
	n, errN := base64.RawURLEncoding.DecodeString(k.N)
	e, errE := base64.RawURLEncoding.DecodeString(k.E)
	if err := errors.Join(errN, errE); err != nil {
		return nil, err
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}, nil
}

// thumbprint returns the hash of the fields that define a key, in order (RFC 7638).
func thumbprint(k JWK) string {
	sum := sha256.Sum256([]byte(`{"e":"` + k.E + `","kty":"` + k.Kty + `","n":"` + k.N + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
