package admin

import (
	"context"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/admin"
)

// Invitation is an invitation as operators see it: without its key.
type Invitation struct {
	ID        string     `json:"id"`
	TenantID  string     `json:"tenantId"`
	SingleUse bool       `json:"singleUse"`
	CreatedAt time.Time  `json:"createdAt"`
	ExpiresAt time.Time  `json:"expiresAt"`
	UsedAt    *time.Time `json:"usedAt"`
	RevokedAt *time.Time `json:"revokedAt"`
}

// NewInvitation is the result of invitations.create, the only one with the key.
type NewInvitation struct {
	TenantID   string `json:"tenantId"`
	Key        string `json:"key"`
	TTLSeconds int64  `json:"ttlSeconds"`
	SingleUse  bool   `json:"singleUse"`
}

// InvitationInput is the input of invitations.create.
type InvitationInput struct {
	TenantID   string `json:"tenantId"`
	TTLSeconds int64  `json:"ttlSeconds"`
	SingleUse  bool   `json:"singleUse"`
}

const (
	minInvitation = time.Minute
	maxInvitation = 366 * 24 * time.Hour
)

func (s *service) createInvitation(ctx context.Context, in *InvitationInput) (NewInvitation, error) {
	if in.TTLSeconds < int64(minInvitation/time.Second) || in.TTLSeconds > int64(maxInvitation/time.Second) {
		return NewInvitation{}, admin.Refuse("An invitation lasts from a minute to a year.")
	}
	if err := s.requireTenant(ctx, in.TenantID); err != nil {
		return NewInvitation{}, err
	}
	key, err := s.tenants.OfferInvitation(ctx, operator(), in.TenantID, time.Duration(in.TTLSeconds)*time.Second, in.SingleUse)
	return NewInvitation{TenantID: in.TenantID, Key: key, TTLSeconds: in.TTLSeconds, SingleUse: in.SingleUse}, err
}

func (s *service) listInvitations(ctx context.Context, in *OfTenant) ([]Invitation, error) {
	if err := s.requireTenant(ctx, in.TenantID); err != nil {
		return nil, err
	}
	found, err := s.tenants.ListInvitations(ctx, in.TenantID)
	return convert(found, func(i *tenant.Invitation) Invitation {
		return Invitation{
			ID: i.ID, TenantID: i.TenantID, SingleUse: i.SingleUse, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt,
			UsedAt: orNull(i.UsedAt), RevokedAt: orNull(i.RevokedAt),
		}
	}), err
}

// Revoked is the result of invitations.revoke.
type Revoked struct {
	ID      string `json:"id"`
	Revoked bool   `json:"revoked"`
}

func (s *service) revokeInvitation(ctx context.Context, in *ByID) (Revoked, error) {
	owner, found, err := s.tenants.InvitationOwner(ctx, in.ID)
	if err != nil {
		return Revoked{}, err
	}
	if !found {
		return Revoked{}, admin.Refuse("There is no such invitation.")
	}
	if _, err := s.tenants.RevokeInvitation(ctx, operator(), owner, in.ID); err != nil { // it may have been revoked before
		return Revoked{}, err
	}
	return Revoked{ID: in.ID, Revoked: true}, nil
}

// orNull is nil for the zero time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
