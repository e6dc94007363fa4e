package verbs

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/griot/internal/verb"
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
	// AssistantTools are the groups of additional tools at the assistant endpoint.
	AssistantTools []string `json:"assistantTools" col:"TOOLS"`
	// Key is set only when the key is created.
	Key string `json:"key,omitempty" row:"secret,once"`
}

func shownKey(k *account.Key) Key {
	return Key{
		ID: k.ID, Kind: string(k.Kind), Name: k.Name, ProjectID: k.ProjectID, Prefix: k.Prefix, MemberID: k.MemberID,
		CreatedAt: k.CreatedAt, LastUsedAt: verb.TimeOrNull(k.LastUsedAt), RevokedAt: verb.TimeOrNull(k.RevokedAt), ExpiresAt: verb.TimeOrNull(k.ExpiresAt),
		AssistantTools: k.Tools.Names(),
	}
}

// KeyInput describes a new key.
type KeyInput struct {
	OfAccount

	Kind      string `json:"kind" flag:"kind" default:"live" help:"live, test (simulates every send), or project (one project only)"`
	ProjectID string `json:"projectId" flag:"project" help:"project ID of a project key"`
	MemberID  string `json:"memberId" flag:"member" help:"member who owns a project key; removing the member revokes it"` // a project key that is revoked when this member is removed
}

func (h *service) createKey(ctx context.Context, a *account.Account, in *KeyInput) (Key, error) {
	kind := account.Kind(in.Kind)
	if kind != account.Live && kind != account.Test && kind != account.ProjectKey {
		return Key{}, verb.Refuse("The kind of a key must be live, test, or project.")
	}
	if in.MemberID != "" && kind != account.ProjectKey {
		return Key{}, verb.Refuse("A member can have only project keys.")
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
	return verb.Each(found, shownKey), err
}

// InAccount identifies an item of an account.
type InAccount struct {
	OfAccount

	ID string `json:"id" arg:"ID" help:"ID, as list shows it"`
}

// KeyChange describes the change of a key.
type KeyChange struct {
	InAccount

	// AssistantTools replace the groups of additional tools at the assistant endpoint. Empty: none.
	AssistantTools []string `json:"assistantTools" flag:"tool" help:"group of tools for assistants: search, unread, attachments, status, or send; repeat the flag for more (default: none)"`
}

func (h *service) setKey(ctx context.Context, a *account.Account, in *KeyChange) (Key, error) {
	tools, err := account.ParseTools(in.AssistantTools)
	if err != nil {
		return Key{}, verb.Refuse("The tools can be only %s.", strings.Join(account.ToolNames(), ", "))
	}
	k, err := h.Directory.SetTools(ctx, a.ID, in.ID, "", tools)
	switch {
	case errors.Is(err, account.ErrNoKey):
		return Key{}, verb.Refuse("The account doesn't have this key.")
	case errors.Is(err, account.ErrNoTools):
		return Key{}, verb.Refuse("Only a live key can have tools for assistants.")
	case errors.Is(err, account.ErrKeyInactive):
		return Key{}, verb.Refuse("The key has ended.")
	case err != nil:
		return Key{}, err
	}
	return shownKey(k), nil
}

func (h *service) revokeKey(ctx context.Context, a *account.Account, in *InAccount) (Done, error) {
	found, err := h.Directory.RevokeKey(ctx, a.ID, "", in.ID)
	if err == nil && !found {
		err = verb.Refuse("The account doesn't have this key.")
	}
	return Done{in.ID}, err
}
