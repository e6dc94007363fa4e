package account

import (
	"cmp"
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/resubmit"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
)

// MaxGrace is how long a key may go on working when another has taken its place.
const MaxGrace = 7 * 24 * time.Hour

// Rotated is a key that takes the place of another.
type Rotated struct {
	Key      *Key
	Secret   string // the new key itself, this once
	Replaced *Key   // ends by itself
}

// RotateKey makes a key with the rights of another, which works for a time longer, or ends at once; with a memberID only one
// that the member made. The new key has the same owner. Other nodes notice within two seconds. For [resubmit.Time], the same
// form returns the new key again, if it works.
//
// Errors: [ErrNoKey], [ErrKeyInactive], [ErrTooMany], [ErrKeyMade], and those of a member or a project that is gone.
func (d *Directory) RotateKey(ctx context.Context, accountID, memberID, keyID string, grace time.Duration, form resubmit.Form) (*Rotated, error) {
	old, err := selectKey(d.db.Read(ctx), accountID, memberID, keyID)
	if err != nil {
		return nil, err
	}
	if old == nil {
		return nil, ErrNoKey
	}
	now := d.now()
	ends := now.Add(min(max(grace, 0), MaxGrace))
	s := &KeySpec{Form: form, AccountID: accountID, ProjectID: old.ProjectID, Kind: old.Kind, Name: old.Name, MemberID: old.MemberID}
	fresh := s.make(now)
	k := fresh.key
	most := int64(MaxKeys)
	if ends.Equal(now) {
		old.RevokedAt = now
		most++ // the one that ends
	} else {
		old.ExpiresAt = ends
	}
	events := []*audit.Event{
		audit.New(ctx, now, accountID, audit.KeyRotated, keyID, "kind", string(old.Kind), "prefix", old.Prefix, "newKey", k.ID, "endsAt", ends.UTC().Format(time.RFC3339)),
		keyCreated(ctx, k),
	}
	var result *Rotated
	err = d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		before, refused, err := mayMakeKey(tx, s, most, now)
		if err != nil || refused != nil {
			return refused, err
		}
		if before.key != nil {
			result = &Rotated{Key: before.key, Secret: before.secret}
			result.Replaced, err = selectKey(&tx.Query, accountID, memberID, keyID)
			return nil, err
		}
		if replaced, err := replaceKey(tx, keyID, now, ends); err != nil || !replaced {
			return ErrKeyInactive, err
		}
		if inserted, err := insertKey(tx, k, seal.Hash(fresh.secret)); err != nil || !inserted {
			return nil, cmp.Or(err, ErrKeyMade) // roll back: the id is another key's
		}
		result = &Rotated{k, fresh.secret, old}
		for _, e := range events {
			if err := audit.Record(tx, e); err != nil {
				return nil, err
			}
		}
		return nil, NoteChange(tx)
	})
	d.ForgetAll()
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Key returns a key of an account, with a memberID one that the member made; nil: there is none.
func (d *Directory) Key(ctx context.Context, accountID, memberID, keyID string) (*Key, error) {
	return selectKey(d.db.Read(ctx), accountID, memberID, keyID)
}
