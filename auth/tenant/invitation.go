package tenant

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// InvitationTime is the default lifetime of an invitation.
const InvitationTime = 30 * 24 * time.Hour // L146

const invitationPrefix = "inv_"

// Invitation is a key to a tenant's dashboard as lists show it: without the key itself.
type Invitation struct {
	ID        string // ID26
	TenantID  string
	SingleUse bool
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // last use; zero if never used
	RevokedAt time.Time // zero if not revoked
}

// CreateInvitation returns a key that opens the tenant's dashboard: inv_ and 43
// characters of base64url. It can be used any number of times until it expires after
// ttl.
func (s *Store) CreateInvitation(ctx context.Context, tenantID string, ttl time.Duration) (key string, err error) {
	return s.createInvitation(ctx, nil, tenantID, ttl, false)
}

// CreateSingleUseInvitation returns a key that opens only one session; see [Store.CreateInvitation].
func (s *Store) CreateSingleUseInvitation(ctx context.Context, tenantID string, ttl time.Duration) (key string, err error) {
	return s.createInvitation(ctx, nil, tenantID, ttl, true)
}

// OfferInvitation creates an invitation in the name of the context's actor, with an audit event;
// see [Store.CreateInvitation].
func (s *Store) OfferInvitation(ctx context.Context, tenantID string, ttl time.Duration, singleUse bool) (key string, err error) {
	return s.createInvitation(ctx, NewEvent(ctx, tenantID, InvitationCreated, s.now()), tenantID, ttl, singleUse)
}

func (s *Store) createInvitation(ctx context.Context, event *Event, tenantID string, ttl time.Duration, singleUse bool) (key string, err error) {
	now := s.now()
	key = invitationPrefix + id.Token(32)
	i := &Invitation{ID: id.New(now), TenantID: tenantID, SingleUse: singleUse, CreatedAt: now, ExpiresAt: now.Add(ttl)}
	if err := s.insertInvitation(ctx, event, i, seal.Hash(key)); err != nil {
		return "", err
	}
	return key, nil
}

// ListInvitations returns a tenant's invitations, including those that no longer work, oldest first.
func (s *Store) ListInvitations(ctx context.Context, tenantID string) ([]Invitation, error) {
	return db.Select(s.db.Read(ctx), func(scan db.Scan, i *Invitation) error {
		return scan(&i.ID, &i.TenantID, &i.SingleUse, db.Time(&i.CreatedAt), db.Time(&i.ExpiresAt), db.Time(&i.UsedAt), db.Time(&i.RevokedAt))
	}, `SELECT id, tenant_id, single_use, created_at, expires_at, used_at, revoked_at FROM invitations WHERE tenant_id = $1 ORDER BY id`, tenantID)
}

// RevokeInvitation ends an invitation and the sessions that it opened. revoked is false
// if there is none or it was revoked before.
func (s *Store) RevokeInvitation(ctx context.Context, tenantID, invitationID string) (revoked bool, err error) {
	now := s.now()
	event := NewEvent(ctx, tenantID, InvitationRevoked, now)
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		if revoked, err = markInvitationRevoked(tx, tenantID, invitationID, now); err != nil || !revoked {
			return err
		}
		if err := deleteDashboardsOf(tx, invitationID); err != nil {
			return err
		}
		return Record(tx, event)
	})
	return revoked && err == nil, err
}
