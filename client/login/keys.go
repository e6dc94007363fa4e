package login

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"sync"
	"time"

	"example.com/griot/client/internal/wire"
)

const (
	keepKeys  = 5 * time.Minute // the max-age of the service's response
	askAgain  = time.Minute     // the minimum interval between requests for unknown keys
	maxKeys   = 32
	minBits   = 2048
	maxBits   = 8192
	maxExpLen = 4 // in bytes, of a public exponent
)

// keys are the public keys of the service, by key ID.
type keys struct {
	mu       sync.Mutex
	byID     map[string]*rsa.PublicKey
	fetched  time.Time     // zero: never
	failed   time.Time     // time of the last failed fetch; zero: none since the last success
	fetching chan struct{} // closed when the fetch in progress ends; nil: none
	err      error         // the error of the last fetch
}

// key returns the service's key with the given ID, or nil if the service does not have it. It fetches the keys if
// they are old or the ID is unknown; concurrent callers share one request. While the service is unreachable, key uses
// the cached keys and retries once per minute without blocking other callers.
func (c *Client) key(ctx context.Context, id string) (*rsa.PublicKey, error) {
	c.keys.mu.Lock()
	known, limit := c.keys.byID[id], askAgain
	if known != nil {
		limit = keepKeys
	}
	now := c.now()
	recent := func(at time.Time, limit time.Duration) bool { return !at.IsZero() && now.Sub(at).Abs() < limit }
	if recent(c.keys.fetched, limit) || known != nil && recent(c.keys.failed, askAgain) {
		c.keys.mu.Unlock()
		return known, nil
	}
	done := c.keys.fetching
	if done == nil {
		done = make(chan struct{})
		c.keys.fetching = done
		go c.fetch(context.WithoutCancel(ctx), done) // no caller's context can cancel it, because all of them wait for the result
	}
	c.keys.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	if key := c.keys.byID[id]; key != nil || c.keys.err == nil {
		return key, nil
	}
	return nil, c.keys.err
}

// fetch gets the keys from the service.
func (c *Client) fetch(ctx context.Context, done chan struct{}) {
	var found map[string]*rsa.PublicKey
	err := c.wire.Do(ctx, wire.Call{Method: http.MethodGet, Path: "/.well-known/jwks.json"}, func(a *wire.Answer) (err error) {
		if a.Status/100 != 2 {
			return errorOf(a)
		}
		found, err = keysOf(a.Body)
		return err
	})
	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	if c.keys.err = outcome(err); err == nil {
		c.keys.byID, c.keys.fetched, c.keys.failed = found, c.now(), time.Time{}
	} else {
		c.keys.failed = c.now()
	}
	c.keys.fetching = nil
	close(done)
}

// keysOf parses a JSON Web Key Set (RFC 7517). It skips keys that do not sign tokens.
func keysOf(set []byte) (map[string]*rsa.PublicKey, error) {
	var body struct {
		Keys []struct {
			Type      string `json:"kty"`
			ID        string `json:"kid"`
			Algorithm string `json:"alg"`
			Use       string `json:"use"`
			N         string `json:"n"`
			E         string `json:"e"`
		} `json:"keys"`
	}
	if json.Unmarshal(set, &body) != nil || body.Keys == nil || len(body.Keys) > maxKeys {
		return nil, &Error{string(ErrInvalidKeys), "the service has no keys: is the issuer right?"}
	}
	found := map[string]*rsa.PublicKey{}
	for _, k := range body.Keys {
		if k.Type != "RSA" || k.ID == "" || k.Algorithm != "" && k.Algorithm != "RS256" || k.Use != "" && k.Use != "sig" {
			continue
		}
		n, errN := base64.RawURLEncoding.DecodeString(k.N)
		e, errE := base64.RawURLEncoding.DecodeString(k.E)
		if errN != nil || errE != nil || len(e) > maxExpLen {
			continue
		}
		key := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		if bits := key.N.BitLen(); bits < minBits || bits > maxBits || key.E < 3 || key.E%2 == 0 {
			continue
		}
		found[k.ID] = key
	}
	return found, nil
}
