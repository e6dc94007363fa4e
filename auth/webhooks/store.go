package webhooks

import (
	"time"

	"example.com/griot/internal/db"
)

// insertRow stores an event if the tenant has an endpoint. The event is due immediately.
func insertRow(tx *db.Tx, b *body, text string, at time.Time) error {
	_, err := tx.Exec(`INSERT INTO tenant_hook_events (tenant_id, id, type, body, due_at, claimed, version, tries, created_at)
		SELECT id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS BIGINT), 0, 0, 0, CAST($5 AS BIGINT)
		FROM tenants WHERE id = $1 AND webhook_url IS NOT NULL`, b.TenantID, b.EventID, b.Event, text, db.Ms(at))
	return err
}
