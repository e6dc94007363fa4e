package account

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
)

// A Key describes an API key without its secret.
type Key struct {
	ID         string
	AccountID  string
	ProjectID  string // for project keys
	Kind       Kind
	Name       string // for people; can be empty
	Prefix     string // its first characters
	MemberID   string // the creator; empty: the owner or an operator
	CreatedAt  time.Time
	LastUsedAt time.Time // to the minute; zero: never
	RevokedAt  time.Time // zero: not revoked
	ExpiresAt  time.Time // end of the key's lifetime after it was replaced; zero: no end
	Tools      Tools     // of a live key, at the assistant endpoint

	hash string
}

// Works reports whether the key is valid.
func (k *Key) Works(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Limits per account.
const (
	MaxKeys     = 200 // valid keys
	MaxProjects = 200
	MaxMembers  = 200
)

// Errors of keys and projects.
var (
	ErrTooMany   = errors.New("account: there are too many already")
	ErrNoProject = errors.New("account: the account has no such project")
	ErrKeyKind   = errors.New("account: a project key, and no other, has a project")
	ErrNoMember  = errors.New("account: the account has no such member")

	ErrNoKey       = errors.New("account: the account has no such key")
	ErrKeyInactive = errors.New("account: the key has ended, or another has taken its place")
	ErrKeyMade     = errors.New("account: the key has been made already")
)

// KeySpec describes a new key.
type KeySpec struct {
	Form      forms.Creation // the form that creates the key; each form creates only one key, even if it is sent repeatedly
	Name      string         // can be empty
	AccountID string
	ProjectID string // for project keys
	Kind      Kind
	MemberID  string // the creator; empty: the owner or an operator
}

// CreateKey creates a key and returns it, only this once, because the database contains only its hash.
func (d *Directory) CreateKey(ctx context.Context, accountID, projectID string, kind Kind) (string, error) {
	_, key, err := d.MakeKey(ctx, KeySpec{AccountID: accountID, ProjectID: projectID, Kind: kind})
	return key, err
}

// MakeKey creates a key and returns it, only this once. Existing keys continue to work, so that a key can be replaced
// without a gap. During [forms.RepeatTime], the same form returns the key again if it is valid.
//
// Errors: [ErrKeyKind], [ErrNoProject], [ErrTooMany], [ErrKeyMade], [ErrClosed], and [ErrNoMember] if the creator has been removed.
func (d *Directory) MakeKey(ctx context.Context, s KeySpec) (*Key, string, error) {
	if s.Kind.prefix() == "" || (s.Kind == ProjectKey) != (s.ProjectID != "") {
		return nil, "", ErrKeyKind
	}
	now := d.now()
	fresh := s.make(now)
	event := keyCreated(ctx, fresh.key)
	var result made
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if result, refused, err = mayMakeKey(tx, &s, MaxKeys, now); err != nil || refused != nil || result.key != nil {
			return refused, err
		}
		if inserted, err := insertKey(tx, fresh.key, seal.Hash(fresh.secret)); err != nil || !inserted {
			return ErrKeyMade, err
		}
		result = fresh
		return nil, audit.Record(tx, event)
	})
	if err != nil {
		return nil, "", err
	}
	return result.key, result.secret, nil
}

// A made is a key with its secret, which is shown only once.
type made struct {
	key    *Key
	secret string
}

// make returns the key of a specification, without storing it.
func (s *KeySpec) make(now time.Time) made {
	secret := newKey(s.Kind, s.Form.Seeds.First())
	return made{&Key{
		ID: cmp.Or(s.Form.ID, id.New(now)), AccountID: s.AccountID, ProjectID: s.ProjectID, Kind: s.Kind, Name: s.Name, Prefix: secret[:prefixSize], MemberID: s.MemberID, CreatedAt: now,
	}, secret}
}

// madeBefore returns the key that a form has created a moment ago, if it is valid.
func madeBefore(q *db.Query, s *KeySpec, now time.Time) (made, error) {
	if len(s.Form.Seeds) == 0 {
		return made{}, nil
	}
	k, err := selectKey(q, s.AccountID, s.MemberID, s.Form.ID)
	if err != nil || k == nil || !k.Works(now) || !k.CreatedAt.After(forms.RepeatsSince(now)) {
		return made{}, err
	}
	for _, seed := range s.Form.Seeds {
		if secret := newKey(k.Kind, seed); seal.Equal(seal.Hash(secret), k.hash) {
			return made{k, secret}, nil
		}
	}
	return made{}, nil
}

func keyCreated(ctx context.Context, k *Key) *audit.Event {
	return audit.New(ctx, k.CreatedAt, k.AccountID, audit.KeyCreated, k.ID, "kind", string(k.Kind), "prefix", k.Prefix, "project", k.ProjectID, "name", k.Name)
}

// mayMakeKey returns the reason why an account with a limit of most keys cannot have the key that s describes, or the
// key that the form has already created.
func mayMakeKey(tx *db.Tx, s *KeySpec, most int64, now time.Time) (before made, refused, err error) {
	if open, err := lockOpen(tx, s.AccountID); err != nil || !open { // the second of two concurrent requests waits for the first
		return made{}, ErrClosed, err
	}
	if before, err = madeBefore(&tx.Query, s, now); err != nil || before.key != nil {
		return before, nil, err
	}
	if s.MemberID != "" { // first, because it also prevents the member's removal until the key is stored
		if found, err := countKey(tx, s.AccountID, s.MemberID); err != nil || !found {
			return made{}, ErrNoMember, err
		}
	}
	if s.ProjectID != "" {
		if found, err := hasProject(&tx.Query, s.AccountID, s.MemberID, s.ProjectID); err != nil || !found {
			return made{}, ErrNoProject, err
		}
	}
	n, err := countKeys(&tx.Query, s.AccountID, now)
	if err != nil || n >= most {
		return made{}, ErrTooMany, err
	}
	return made{}, nil, nil
}

// Keys lists an account's keys, oldest first, including invalid ones. With a memberID, it lists only the keys that the member created.
// The times of the last uses include those that this process hasn't stored yet. Those of other processes are up to a
// minute old.
func (d *Directory) Keys(ctx context.Context, accountID, memberID string) ([]Key, error) {
	uses := d.uses.unstored()
	list, err := selectKeys(d.db.Read(ctx), accountID, memberID)
	for i := range list {
		list[i].addUse(uses)
	}
	return list, err
}

// StreamState reports whether a key is still valid (a suspended account's keys are not), and returns the number of
// the account's stream secrets, for a stream that was opened with the key. It reads the database, so that a
// revocation on another node takes effect immediately.
func (d *Directory) StreamState(ctx context.Context, keyID string) (works bool, turn int64, err error) {
	return selectStreamState(d.db.Read(ctx), keyID, d.now())
}

// RevokeKey revokes a key, immediately on this node and within two seconds on others. With a memberID, it revokes
// only a key that the member created. found is false if the account does not have the key. Revoking a key again
// changes nothing.
func (d *Directory) RevokeKey(ctx context.Context, accountID, memberID, keyID string) (found bool, err error) {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.KeyRevoked, keyID)
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		var k *Key
		if k, found, err = revokeKey(tx, accountID, memberID, keyID, now); err != nil || k == nil {
			return err
		}
		return recordChange(tx, event.With("kind", string(k.Kind), "prefix", k.Prefix))
	})
	d.ForgetAll()
	return found && err == nil, err
}
