package account

import (
	"cmp"
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
)

// MaxGrace is the maximum time for which a key continues to work after it was replaced.
const MaxGrace = 7 * 24 * time.Hour

// A Rotated is a new key that replaces another.
type Rotated struct {
	Key      *Key
	Secret   string // the new key itself, shown only this once
	Replaced *Key   // it expires on its own
}

// RotateKey creates a key with the rights of another. The old key works for the grace period, or ends immediately if
// grace is 0. With a memberID, it replaces only a key that the member created. The new key has the same owner. Other
// nodes notice within two seconds. During [forms.RepeatTime], the same form returns the new key again if it is valid.
//
// Errors: [ErrNoKey], [ErrKeyInactive], [ErrTooMany], [ErrKeyMade], and those of a removed member or project.
func (d *Directory) RotateKey(ctx context.Context, accountID, memberID, keyID string, grace time.Duration, form forms.Creation) (*Rotated, error) {
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
		most++ // the key that ends
	} else {
		old.ExpiresAt = ends
	}
	rotated, created := audit.New(ctx, now, accountID, audit.KeyRotated, keyID, "kind", string(old.Kind), "prefix", old.Prefix, "newKey", k.ID, "endsAt", ends.UTC().Format(time.RFC3339)), keyCreated(ctx, k)
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
		tools, replaced, err := replaceKey(tx, keyID, now, ends)
		if err != nil || !replaced {
			return ErrKeyInactive, err
		}
		k.Tools = toolsOf(k.Kind, tools)
		if inserted, err := insertKey(tx, k, seal.Hash(fresh.secret)); err != nil || !inserted {
			return nil, cmp.Or(err, ErrKeyMade) // roll back, because another key has the ID
		}
		result = &Rotated{k, fresh.secret, old}
		for _, e := range []*audit.Event{rotated, created.With("tools", k.Tools.String())} {
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

// Key returns a key of an account, or nil if there is none. With a memberID, it returns only a key that the member created.
func (d *Directory) Key(ctx context.Context, accountID, memberID, keyID string) (*Key, error) {
	uses := d.uses.unstored()
	k, err := selectKey(d.db.Read(ctx), accountID, memberID, keyID)
	if k != nil {
		k.addUse(uses)
	}
	return k, err
}
