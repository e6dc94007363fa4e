package tenant

import (
	"context"

	"example.com/griot/internal/db"
)

// DeleteClient deletes a client, by its public identifier. Its logins can't be completed after that, and
// introspection reports its tokens as inactive. An application that verifies tokens offline accepts them until they
// expire. It returns nil if the client doesn't exist. Other nodes see the change within 30 seconds.
func (s *Store) DeleteClient(ctx context.Context, clientID string) (*Client, error) {
	c, err := s.selectClient(ctx, clientID)
	if err != nil || c == nil {
		return nil, err
	}
	deleted, found := clientEvent(ctx, c, ClientDeleted, s.now()), false
	defer s.cache.invalidate(clientID)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(`DELETE FROM oauth_clients WHERE client_id = $1`, clientID)
		if found = n == 1; err != nil || !found {
			return err
		}
		return Record(tx, deleted)
	})
	if err != nil || !found {
		return nil, err
	}
	return c, nil
}

// Stop disables a tenant that is about to be deleted. It disables the clients, revokes the invitations, ends the
// sessions of the dashboard, and removes the endpoint and the domains.
func Stop(tx *db.Tx, tenantID string, now int64) error {
	for _, text := range []string{
		`UPDATE oauth_clients SET active = 0 WHERE tenant_id = $1`,
		`UPDATE tenants SET webhook_url = NULL WHERE id = $1`,
		`DELETE FROM dashboard_sessions WHERE tenant_id = $1`,
		`DELETE FROM tenant_domains WHERE tenant_id = $1`,
	} {
		if _, err := tx.Exec(text, tenantID); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`UPDATE invitations SET revoked_at = $2 WHERE tenant_id = $1 AND revoked_at IS NULL`, tenantID, now)
	return err
}

// DeleteSome deletes at most n rows of each kind that a stopped tenant has; more reports whether there might be others.
func DeleteSome(tx *db.Tx, tenantID string, n int) (more bool, err error) {
	for _, rows := range []struct{ table, order string }{{"audit_events", "last_id"}, {"oauth_clients", "id"}, {"invitations", "id"}} {
		deleted, err := tx.Exec(`DELETE FROM `+rows.table+` WHERE id IN (SELECT id FROM `+rows.table+` WHERE tenant_id = $1 ORDER BY `+rows.order+` LIMIT CAST($2 AS BIGINT))`, tenantID, n)
		if err != nil {
			return false, err
		}
		more = more || deleted == int64(n)
	}
	return more, nil
}

// Delete deletes a tenant's own row. Call it after all other rows of the tenant are deleted. Only
// the event of the deletion remains.
func Delete(tx *db.Tx, tenantID string) (deleted bool, err error) {
	n, err := tx.Exec(`DELETE FROM tenants WHERE id = $1`, tenantID)
	return n == 1, err
}
