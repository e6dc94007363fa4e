package token

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// Signer signs with the active key, and rotates the keys. It is safe for concurrent use.
type Signer struct {
	Log *slog.Logger // for errors of Run; set it before the call

	db    *db.DB
	box   *seal.Box
	now   clock.Now
	slots chan struct{} // one per core
	keys  atomic.Pointer[keySet]
	mu    sync.Mutex // held while keys is replaced, so that an earlier read doesn't replace a later one
}

// Open returns the signer of the active key, which it generates if there is none.
// Nodes that start together sign with the same key.
func Open(ctx context.Context, d *db.DB, master *seal.Key, now clock.Now) (*Signer, error) {
	s := &Signer{
		Log: slog.New(slog.DiscardHandler), db: d, box: master.Box(boxPurpose), now: now, slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	keys, err := selectKeys(d.Read(ctx))
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		first, err := generate(s.box, Active, now())
		if err != nil {
			return nil, err
		}
		if err := s.insertFirst(ctx, first); err != nil {
			return nil, err
		}
	}
	if err := s.refresh(ctx); err != nil { // another node's key might be the active one
		return nil, err
	}
	return s, nil
}

// refresh reads the keys with the changes of this node and others.
func (s *Signer) refresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys, err := selectKeys(s.db.Read(ctx))
	if err != nil {
		return err
	}
	set, err := newKeySet(keys, s.now(), s.box, s.keys.Load())
	if err != nil {
		return err
	}
	s.keys.Store(set)
	return nil
}

// Sign returns the access token with the claims c. It waits for a slot until ctx ends.
func (s *Signer) Sign(ctx context.Context, c *Claims) (string, error) {
	return s.sign(ctx, accessType, c)
}

// SignID returns the ID token with the claims c. It waits for a slot until ctx ends.
func (s *Signer) SignID(ctx context.Context, c *IDClaims) (string, error) {
	return s.sign(ctx, idType, c)
}

// SignLogout returns the logout token with the claims c. It waits for a slot until ctx ends.
func (s *Signer) SignLogout(ctx context.Context, c *LogoutClaims) (string, error) {
	return s.sign(ctx, logoutType, c)
}

func (s *Signer) sign(ctx context.Context, typ string, claims any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	keys := s.keys.Load()
	signed := keys.headers[typ] + base64.RawURLEncoding.EncodeToString(payload)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, keys.private, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// JWKS returns the keys for checking tokens. It returns the same pointer until the keys
// change. Callers must not modify the result.
func (s *Signer) JWKS() *JWKS { return s.keys.Load().jwks }
