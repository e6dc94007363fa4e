package admin

import (
	"context"
	"time"

	"example.com/griot/internal/admin"
	"example.com/griot/messaging/account"
)

// A Key is an API key as operators see it.
type Key struct {
	ID         string     `json:"id" col:"KEY"`
	Kind       string     `json:"kind" col:"KIND"`
	Name       string     `json:"name,omitempty" col:"NAME"`
	ProjectID  string     `json:"projectId,omitempty" col:"PROJECT"`
	Prefix     string     `json:"prefix" col:"BEGINS"`
	MemberID   string     `json:"memberId,omitempty" col:"MEMBER"` // the creator, unless it is the owner or an operator
	CreatedAt  time.Time  `json:"createdAt" col:"CREATED"`
	LastUsedAt *time.Time `json:"lastUsedAt" col:"LAST USED"` // to the minute
	RevokedAt  *time.Time `json:"revokedAt" col:"REVOKED"`
	ExpiresAt  *time.Time `json:"expiresAt" col:"ENDS"` // set if the key was replaced
	// Key is set only when the key is created.
	Key string `json:"key,omitempty" row:"secret,once"`
}

func shownKey(k *account.Key) Key {
	return Key{
		ID: k.ID, Kind: string(k.Kind), Name: k.Name, ProjectID: k.ProjectID, Prefix: k.Prefix, MemberID: k.MemberID,
		CreatedAt: k.CreatedAt, LastUsedAt: admin.TimeOrNull(k.LastUsedAt), RevokedAt: admin.TimeOrNull(k.RevokedAt), ExpiresAt: admin.TimeOrNull(k.ExpiresAt),
	}
}

// KeyInput describes a new key.
type KeyInput struct {
	OfAccount

	Kind      string `json:"kind" flag:"kind" default:"live" help:"live, test (simulates every send), or project (one project only)"`
	ProjectID string `json:"projectId" flag:"project" help:"of a project key: the project's id"`
	MemberID  string `json:"memberId" flag:"member" help:"of a project key: the member whose it is, and with whom it goes"` // a project key that is revoked when this member is removed
}

func (h *service) createKey(ctx context.Context, a *account.Account, in *KeyInput) (Key, error) {
	kind := account.Kind(in.Kind)
	if kind != account.Live && kind != account.Test && kind != account.ProjectKey {
		return Key{}, admin.Refuse("A key's kind is live, test, or project.")
	}
	if in.MemberID != "" && kind != account.ProjectKey {
		return Key{}, admin.Refuse("A member has project keys only.")
	}
	k, secret, err := h.Directory.MakeKey(ctx, account.KeySpec{AccountID: a.ID, ProjectID: in.ProjectID, Kind: kind, MemberID: in.MemberID})
	if err != nil {
		return Key{}, err
	}
	out := shownKey(k)
	out.Key = secret
	return out, nil
}

func (h *service) listKeys(ctx context.Context, a *account.Account, _ *OfAccount) ([]Key, error) {
	found, err := h.Directory.Keys(ctx, a.ID, "")
	return admin.Each(found, shownKey), err
}

// InAccount identifies an item of an account.
type InAccount struct {
	OfAccount

	ID string `json:"id" arg:"ID" help:"as list shows it"`
}

func (h *service) revokeKey(ctx context.Context, a *account.Account, in *InAccount) (Done, error) {
	found, err := h.Directory.RevokeKey(ctx, a.ID, "", in.ID)
	if err == nil && !found {
		err = admin.Refuse("The account has no such key.")
	}
	return Done{in.ID}, err
}
