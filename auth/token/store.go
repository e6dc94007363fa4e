package token

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/seal"
)

const keyBits = 2048 // DESIGN §7

// Open returns the signer of the active key, which it makes if there is none.
// Of nodes that start together one makes the key, and all sign with it.
func Open(ctx context.Context, d *db.DB, master *seal.Key, now clock.Now) (*Signer, error) {
	box := master.Box("signing-key")
	key, err := load(ctx, d, box)
	if err != nil || key != nil {
		return finish(key, err)
	}
	fresh, err := rsa.GenerateKey(nil, keyBits) // the standard library's own secure source, since Go 1.26
	if err != nil {
		return nil, err
	}
	if err := insert(ctx, d, box, fresh, now()); err != nil {
		return nil, err
	}
	key, err = load(ctx, d, box) // perhaps another node's
	if err == nil && key == nil {
		err = errors.New("token: no active signing key")
	}
	return finish(key, err)
}

func finish(key *rsa.PrivateKey, err error) (*Signer, error) {
	if err != nil {
		return nil, err
	}
	return newSigner(key)
}

// load returns the active key; nil when there is none.
func load(ctx context.Context, d *db.DB, box *seal.Box) (*rsa.PrivateKey, error) {
	var kid, sealed string
	found, err := d.Read(ctx).Row(`SELECT kid, sealed_private FROM signing_keys WHERE status = 'active'`).Scan(&kid, &sealed)
	if err != nil || !found {
		return nil, err
	}
	der, err := box.Open(sealed, kid)
	if err != nil {
		return nil, fmt.Errorf("token: signing key %s: %w", kid, err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("token: signing key %s: %w", kid, err)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("token: signing key %s is no RSA key", kid)
	}
	return key, nil
}

// insert stores a key as the active one, unless there is one already.
func insert(ctx context.Context, d *db.DB, box *seal.Box, key *rsa.PrivateKey, now time.Time) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	public := newJWK(&key.PublicKey)
	jwk, err := json.Marshal(public)
	if err != nil {
		return err
	}
	sealed := box.Seal(der, public.Kid)
	return d.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO signing_keys (kid, sealed_private, public_jwk, status, created_at) VALUES ($1, $2, $3, 'active', $4)
			ON CONFLICT DO NOTHING`, public.Kid, sealed, string(jwk), db.Ms(now))
		return err
	})
}
