package tenant

import "context"

func (s *Store) selectInvitationTenant(ctx context.Context, invitationID string) (tenantID string, found bool, err error) {
	found, err = s.db.Read(ctx).Row(`SELECT tenant_id FROM invitations WHERE id = $1`, invitationID).Scan(&tenantID)
	return tenantID, found, err
}
