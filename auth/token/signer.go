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

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/seal"
)

// Signer signs with the active key, and tends the keys. It is safe for concurrent use.
type Signer struct {
	Log *slog.Logger // for what goes wrong while the keys are tended; set it before Run

	db    *db.DB
	box   *seal.Box
	now   clock.Now
	turns chan struct{} // one for each core
	keys  atomic.Pointer[keySet]
	mu    sync.Mutex // held while keys is replaced, so that what was read earlier doesn't replace what was read later
}

// Open returns the signer of the active key, which it makes if there is none.
// Of nodes that start together one makes the key, and all sign with it.
func Open(ctx context.Context, d *db.DB, master *seal.Key, now clock.Now) (*Signer, error) {
	s := &Signer{
		Log: slog.New(slog.DiscardHandler), db: d, box: master.Box("signing-key"), now: now, turns: make(chan struct{}, runtime.GOMAXPROCS(0)),
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
	if err := s.refresh(ctx); err != nil { // the key is perhaps another node's
		return nil, err
	}
	return s, nil
}

// refresh takes up what other nodes, or this one, did to the keys.
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
	keys := s.keys.Load()
	signed := keys.header + base64.RawURLEncoding.EncodeToString(payload)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, keys.private, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// JWKS returns the keys that tokens are checked with: the same pointer until they
// change. It must not be written to.
func (s *Signer) JWKS() *JWKS { return s.keys.Load().jwks }
