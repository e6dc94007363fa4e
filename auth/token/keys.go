package token

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/griot/internal/seal"
)

const keyBits = 2048

// Key is a signing key as it is stored.
type Key struct {
	Kid         string
	Status      Status
	PublishedAt time.Time
	ActivatedAt time.Time // zero if it has not signed yet
	StoppedAt   time.Time // end of signing; zero if it has not stopped

	public  JWK
	sealed  string // the private half
	revoked bool   // an emergency rotation removed it, because it might have leaked
}

// SignsAt returns the start of signing, in the past or the future.
func (k *Key) SignsAt() time.Time {
	if k.ActivatedAt.IsZero() {
		return k.PublishedAt.Add(leadTime)
	}
	return k.ActivatedAt
}

// published reports whether the key is in the JWKS at a time. A previous key leaves it
// after its time is over, even before its status is changed.
func (k *Key) published(now time.Time) bool {
	return k.Status != Retired && (k.StoppedAt.IsZero() || now.Before(k.StoppedAt.Add(previousTime)))
}

// keySet holds the keys that a node signs with and publishes, until they change. It is immutable.
type keySet struct {
	active  *Key
	next    *Key // can be nil
	private *rsa.PrivateKey
	headers map[string]string // by type, as base64url with the dot
	jwks    *JWKS
}

// newKeySet returns the set of these keys. It takes the private key from last if the active key is the same.
func newKeySet(keys []*Key, now time.Time, box *seal.Box, last *keySet) (*keySet, error) {
	s := &keySet{jwks: &JWKS{}}
	for _, k := range keys {
		if !k.published(now) {
			continue
		}
		s.jwks.Keys = append(s.jwks.Keys, k.public)
		switch k.Status {
		case Active:
			s.active = k
		case Next:
			s.next = k
		case Previous, Retired:
		}
	}
	if s.active == nil {
		return nil, errors.New("token: no active signing key")
	}
	if last != nil && last.active.Kid == s.active.Kid {
		s.private, s.headers = last.private, last.headers
		if slices.Equal(last.jwks.Keys, s.jwks.Keys) {
			s.jwks = last.jwks
		}
		return s, nil
	}
	var err error
	if s.private, err = openKey(box, s.active); err != nil {
		return nil, err
	}
	s.headers = map[string]string{}
	for _, typ := range []string{accessType, idType, logoutType} {
		header, err := json.Marshal(header{Alg: s.active.public.Alg, Kid: s.active.Kid, Typ: typ})
		if err != nil {
			return nil, err
		}
		s.headers[typ] = base64.RawURLEncoding.EncodeToString(header) + "."
	}
	return s, nil
}

// header is the JOSE header of the tokens.
type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Typ string `json:"typ"`
}

// The types of tokens. A token of one type is never accepted as another.
const (
	accessType = "at+jwt"     // RFC 9068 §2.1
	idType     = "JWT"        // OpenID Connect Core 1.0
	logoutType = "logout+jwt" // OpenID Connect Back-Channel Logout 1.0
)

func generate(box *seal.Box, status Status, now time.Time) (*Key, error) {
	private, err := rsa.GenerateKey(nil, keyBits) // the standard library's own secure source, since Go 1.26
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	public := newJWK(&private.PublicKey)
	k := &Key{Kid: public.Kid, Status: status, PublishedAt: now, public: public, sealed: box.Seal(der, public.Kid)}
	if status == Active {
		k.ActivatedAt = now
	}
	return k, nil
}

func openKey(box *seal.Box, k *Key) (*rsa.PrivateKey, error) {
	der, err := box.Open(k.sealed, k.Kid)
	if err != nil {
		return nil, fmt.Errorf("token: signing key %s: %w", k.Kid, err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("token: signing key %s: %w", k.Kid, err)
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("token: signing key %s is no RSA key", k.Kid)
	}
	return private, nil
}
