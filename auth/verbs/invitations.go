package verbs

import (
	"context"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/verb"
)

// Invitation is an invitation as the operator sees it: without its key.
type Invitation struct {
	ID        string     `json:"id" col:"INVITATION"`
	TenantID  string     `json:"tenantId"`
	SingleUse bool       `json:"singleUse" col:"SINGLE USE"`
	CreatedAt time.Time  `json:"createdAt" col:"CREATED"`
	ExpiresAt time.Time  `json:"expiresAt" col:"EXPIRES"`
	UsedAt    *time.Time `json:"usedAt" col:"USED"`
	RevokedAt *time.Time `json:"revokedAt" col:"REVOKED"`
}

// NewInvitation is the result of invitations.create. It is the only result with the key.
type NewInvitation struct {
	TenantID   string `json:"tenantId" row:"tenant"`
	Key        string `json:"key" row:"key,once"`
	TTLSeconds int64  `json:"ttlSeconds" row:"works for,seconds"`
	SingleUse  bool   `json:"singleUse" row:"single use"`
}

// InvitationInput is the input of invitations.create.
type InvitationInput struct {
	OfTenant

	TTLSeconds int64 `json:"ttlSeconds" form:"days" flag:"ttl,seconds" default:"720h" help:"validity period, from a minute to a year"`
	SingleUse  bool  `json:"singleUse" flag:"single-use" help:"allow the key to open the dashboard only once"`
}

const (
	minInvitation = time.Minute
	maxInvitation = 366 * 24 * time.Hour
)

func (s *service) createInvitation(ctx context.Context, in *InvitationInput) (NewInvitation, error) {
	if in.TTLSeconds < int64(minInvitation/time.Second) || in.TTLSeconds > int64(maxInvitation/time.Second) {
		return NewInvitation{}, verb.Refuse("An invitation must be valid for a minute to a year.")
	}
	key, err := s.tenants.OfferInvitation(ctx, in.TenantID, time.Duration(in.TTLSeconds)*time.Second, in.SingleUse)
	return NewInvitation{TenantID: in.TenantID, Key: key, TTLSeconds: in.TTLSeconds, SingleUse: in.SingleUse}, err
}

func (s *service) listInvitations(ctx context.Context, in *OfTenant) ([]Invitation, error) {
	found, err := s.tenants.ListInvitations(ctx, in.TenantID)
	return verb.Each(found, func(i *tenant.Invitation) Invitation {
		return Invitation{
			ID: i.ID, TenantID: i.TenantID, SingleUse: i.SingleUse, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt,
			UsedAt: verb.TimeOrNull(i.UsedAt), RevokedAt: verb.TimeOrNull(i.RevokedAt),
		}
	}), err
}

// Revoked is the result of invitations.revoke.
type Revoked struct {
	ID      string `json:"id" row:"revoked"`
	Revoked bool   `json:"revoked"`
}

func (s *service) revokeInvitation(ctx context.Context, in *ByID) (Revoked, error) {
	owner, found, err := s.tenants.InvitationOwner(ctx, in.ID)
	if err != nil {
		return Revoked{}, err
	}
	if !found {
		return Revoked{}, verb.Refuse("The invitation doesn't exist.")
	}
	if _, err := s.tenants.RevokeInvitation(ctx, owner, in.ID); err != nil { // it might have been revoked before
		return Revoked{}, err
	}
	return Revoked{ID: in.ID, Revoked: true}, nil
}
