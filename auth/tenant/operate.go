package tenant

import "context"

// InvitationOwner returns the tenant of an invitation; found is false if no invitation has that id.
func (s *Store) InvitationOwner(ctx context.Context, invitationID string) (tenantID string, found bool, err error) {
	return s.selectInvitationTenant(ctx, invitationID)
}
