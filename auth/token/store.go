package token

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

const keyColumns = `kid, sealed_private, public_jwk, status, created_at, activated_at, stopped_at, revoked`

// selectKeys returns the keys that are not retired: active, next, previous.
func selectKeys(q *db.Query) (keys []*Key, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		k, err := scanKey(rows.Scan)
		keys = append(keys, k)
		return err
	}, `SELECT `+keyColumns+` FROM signing_keys WHERE status <> 'retired' ORDER BY status, created_at DESC, kid`)
	return keys, err
}

// selectKey returns the key with a kid; nil if there is none.
func selectKey(q *db.Query, kid string) (*Key, error) {
	var k *Key
	err := q.Each(func(rows *sql.Rows) (err error) {
		k, err = scanKey(rows.Scan)
		return err
	}, `SELECT `+keyColumns+` FROM signing_keys WHERE kid = $1`, kid)
	return k, err
}

func scanKey(scan func(...any) error) (*Key, error) {
	k := &Key{}
	var jwk string
	var created, revoked int64
	var activated, stopped sql.NullInt64
	if err := scan(&k.Kid, &k.sealed, &jwk, &k.Status, &created, &activated, &stopped, &revoked); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(jwk), &k.public); err != nil {
		return nil, fmt.Errorf("token: signing key %s: %w", k.Kid, err)
	}
	k.PublishedAt, k.ActivatedAt, k.StoppedAt, k.revoked = db.At(created), db.AtNull(activated), db.AtNull(stopped), revoked != 0
	return k, nil
}

// insertFirst stores a key as the active one, unless there is already one.
func (s *Signer) insertFirst(ctx context.Context, k *Key) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := insertKey(tx, k)
		return err
	})
}

func insertKey(tx *db.Tx, k *Key) (bool, error) {
	jwk, err := json.Marshal(k.public)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO signing_keys (kid, sealed_private, public_jwk, status, created_at, activated_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`, k.Kid, k.sealed, string(jwk), k.Status, db.Ms(k.PublishedAt), db.NullMs(k.ActivatedAt))
	return n == 1, err
}

var errInconsistent = errors.New("token: the signing keys and the active one's successor don't agree")

// insertNext publishes a key to follow the active one. done is false if the active key
// is no longer active or already has a successor.
func (s *Signer) insertNext(ctx context.Context, active, next *Key) (done bool, err error) {
	event := keyEvent(tenant.KeyPublished, next.PublishedAt)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		done = false
		n, err := tx.Exec(`UPDATE signing_keys SET successor = $2 WHERE kid = $1 AND `+allows(supersede)+` AND successor IS NULL`, active.Kid, next.Kid)
		if err != nil || n == 0 {
			return err
		}
		if done, err = insertKey(tx, next); err != nil || !done {
			return errors.Join(err, errInconsistent)
		}
		return tenant.Record(tx, event)
	})
	return done && err == nil, err
}

// supersedeActive makes the next key the active one. done is false if another node did it, or both were revoked.
func (s *Signer) supersedeActive(ctx context.Context, active, next *Key, now time.Time) (done bool, err error) {
	event := keyEvent(tenant.KeyRotated, now)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		done = false
		n, err := tx.Exec(`UPDATE signing_keys SET `+becomes(supersede)+`, stopped_at = $2 WHERE kid = $1 AND `+allows(supersede)+` AND successor = $3`,
			active.Kid, db.Ms(now), next.Kid)
		if err != nil || n == 0 {
			return err
		}
		n, err = tx.Exec(`UPDATE signing_keys SET `+becomes(activate)+`, activated_at = $2 WHERE kid = $1 AND `+allows(activate)+` AND created_at <= $3`,
			next.Kid, db.Ms(now), db.Ms(now.Add(-leadTime)))
		if err != nil || n == 0 {
			return errors.Join(err, errInconsistent)
		}
		done = true
		return tenant.Record(tx, event)
	})
	return done && err == nil, err
}

// replaceAll revokes every key and stores one that signs immediately. done is false if active is no longer active.
func (s *Signer) replaceAll(ctx context.Context, active, fresh *Key, now time.Time) (done bool, err error) {
	revoked, rotated := keyEvent(tenant.KeyRevoked, now), keyEvent(tenant.KeyRotated, now)
	const end = `UPDATE signing_keys SET sealed_private = '', retired_at = $1, stopped_at = COALESCE(stopped_at, $1), revoked = 1, `
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		done = false
		// The active one alone first, because its row's lock makes every key visible that was published after it.
		n, err := tx.Exec(end+becomes(revoke)+` WHERE kid = $2 AND status = 'active'`, db.Ms(now), active.Kid)
		if err != nil || n == 0 {
			return err
		}
		if _, err := tx.Exec(end+becomes(revoke)+` WHERE `+allows(revoke), db.Ms(now)); err != nil {
			return err
		}
		if done, err = insertKey(tx, fresh); err != nil || !done {
			return errors.Join(err, errInconsistent)
		}
		if err := tenant.Record(tx, revoked); err != nil {
			return err
		}
		return tenant.Record(tx, rotated)
	})
	return done && err == nil, err
}

// retireExpired retires the previous keys whose time is over, and deletes their private keys.
func (s *Signer) retireExpired(ctx context.Context, now time.Time) error {
	over := db.Ms(now.Add(-previousTime))
	var kid string
	if due, err := s.db.Read(ctx).Row(`SELECT kid FROM signing_keys WHERE `+allows(retire)+` AND stopped_at <= $1`, over).Scan(&kid); err != nil || !due {
		return err
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE signing_keys SET `+becomes(retire)+`, sealed_private = '', retired_at = $1 WHERE `+allows(retire)+` AND stopped_at <= $2`,
			db.Ms(now), over)
		return err
	})
}

// keyEvent returns an audit event about the keys, which belong to no tenant.
func keyEvent(typ string, now time.Time) *tenant.Event {
	return &tenant.Event{ID: id.New(now), Type: typ, At: now, Actor: tenant.ActorSystem}
}
