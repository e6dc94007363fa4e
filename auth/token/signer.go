package token

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"runtime"
)

// Signer signs with the active key. It is safe for concurrent use.
type Signer struct {
	key    *rsa.PrivateKey
	public JWK
	header string        // of every token, as base64url with its dot
	turns  chan struct{} // one for each core
}

func newSigner(key *rsa.PrivateKey) (*Signer, error) {
	public := newJWK(&key.PublicKey)
	header, err := json.Marshal(struct {
		Alg string `json:"alg"`
		Kid string `json:"kid"`
		Typ string `json:"typ"`
	}{public.Alg, public.Kid, "at+jwt"})
	if err != nil {
		return nil, err
	}
	return &Signer{
		key: key, public: public, header: base64.RawURLEncoding.EncodeToString(header) + ".",
		turns: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}, nil
}

// Sign returns the token that says c. It waits for its turn at most until ctx ends.
func (s *Signer) Sign(ctx context.Context, c *Claims) (string, error) {
	payload, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	signed := s.header + base64.RawURLEncoding.EncodeToString(payload)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// JWKS returns the keys that tokens are checked with.
func (s *Signer) JWKS() JWKS { return JWKS{Keys: []JWK{s.public}} }
