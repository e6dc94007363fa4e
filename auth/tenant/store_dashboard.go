package tenant

import (
	"context"
	"time"

	"example.com/griot/internal/db"
)

// insertInvitation stores an invitation, with an event if event is not nil.
func (s *Store) insertInvitation(ctx context.Context, event *Event, i *Invitation, hash string) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO invitations (id, tenant_id, key_hash, single_use, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			i.ID, i.TenantID, hash, db.Flag(i.SingleUse), db.Ms(i.ExpiresAt), db.Ms(i.CreatedAt))
		if err != nil || event == nil {
			return err
		}
		return Record(tx, event)
	})
}

func markInvitationRevoked(tx *db.Tx, tenantID, invitationID string, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE invitations SET revoked_at = $3 WHERE id = $1 AND tenant_id = $2 AND revoked_at IS NULL`, invitationID, tenantID, db.Ms(now))
	return n == 1, err
}

// useInvitation marks the invitation of a key as used if the key is valid for the tenant. The UPDATE accepts a
// single-use key only once.
func useInvitation(tx *db.Tx, d *dashboardSession) (i Invitation, used bool, err error) {
	used, err = tx.Row(`UPDATE invitations SET used_at = $3
		WHERE key_hash = $1 AND tenant_id = $2 AND expires_at > $3 AND revoked_at IS NULL AND (single_use = 0 OR used_at IS NULL) RETURNING id, single_use`,
		d.keyHash, d.tenantID, db.Ms(d.now)).Scan(&i.ID, &i.SingleUse)
	return i, used, err
}

// insertDashboard opens a session.
func insertDashboard(tx *db.Tx, d *dashboardSession, invitationID, tokenHash string) error {
	// Each new session deletes some expired ones, so that the table stays small.
	if _, err := tx.Exec(`WITH locked AS (SELECT id FROM dashboard_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT 10 /*lock*/)
 DELETE FROM dashboard_sessions WHERE id IN (SELECT id FROM locked)`, db.Ms(d.now)); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO dashboard_sessions (id, tenant_id, invitation_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		d.id, d.tenantID, invitationID, tokenHash, db.Ms(d.now), db.Ms(d.expires))
	return err
}

// hasDashboard reports whether a tenant has an open session that was opened after a time.
func hasDashboard(tx *db.Tx, tenantID, tokenHash string, since time.Time) (bool, error) {
	var id string
	return tx.Row(`SELECT id FROM dashboard_sessions WHERE token_hash = $1 AND tenant_id = $2 AND created_at > $3`, tokenHash, tenantID, db.Ms(since)).Scan(&id)
}

func hasTenant(tx *db.Tx, tenantID string) (bool, error) {
	var id string
	return tx.Row(`SELECT id FROM tenants WHERE id = $1`, tenantID).Scan(&id)
}

func (s *Store) selectDashboard(ctx context.Context, tokenHash string, now time.Time) (*Tenant, error) {
	return db.First(s.db.Read(ctx), readTenant, `SELECT t.id, t.name, t.accent, t.logo, t.created_at FROM dashboard_sessions d JOIN tenants t ON t.id = d.tenant_id
		WHERE d.token_hash = $1 AND d.expires_at > $2`, tokenHash, db.Ms(now))
}

func deleteDashboard(tx *db.Tx, tokenHash string, now time.Time, tenantID *string) (bool, error) {
	return tx.Row(`DELETE FROM dashboard_sessions WHERE token_hash = $1 AND expires_at > $2 RETURNING tenant_id`, tokenHash, db.Ms(now)).Scan(tenantID)
}

func deleteDashboardsOf(tx *db.Tx, invitationID string) error {
	_, err := tx.Exec(`DELETE FROM dashboard_sessions WHERE invitation_id = $1`, invitationID)
	return err
}
