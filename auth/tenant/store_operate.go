package tenant

import (
	"context"

	"example.com/griot/internal/db"
)

func updateActive(tx *db.Tx, id string, active bool) error {
	to := 0
	if active {
		to = 1
	}
	_, err := tx.Exec(`UPDATE oauth_clients SET active = $2 WHERE id = $1`, id, to)
	return err
}

func (s *Store) selectInvitationTenant(ctx context.Context, invitationID string) (tenantID string, found bool, err error) {
	found, err = s.db.Read(ctx).Row(`SELECT tenant_id FROM invitations WHERE id = $1`, invitationID).Scan(&tenantID)
	return tenantID, found, err
}
