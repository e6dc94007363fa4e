package tenant

import "example.com/griot/internal/db"

// DeleteCounted deletes at most a number of the starts of logins and failed sign-ins whose ids are less than beforeID.
// The types are written out for the partial index audit_events_counted.
func DeleteCounted(tx *db.Tx, beforeID string, most int) (deleted int64, err error) {
	return tx.Exec(`WITH locked AS (SELECT id FROM audit_events WHERE type IN ('login.started', 'dashboard.login_failed') AND id < $1 ORDER BY id LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM audit_events WHERE id IN (SELECT id FROM locked)`, beforeID, most)
}

// DeleteEvents deletes at most a number of the events whose ids are less than beforeID.
func DeleteEvents(tx *db.Tx, beforeID string, most int) (deleted int64, err error) {
	return tx.Exec(`WITH locked AS (SELECT id FROM audit_events WHERE id < $1 ORDER BY id LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM audit_events WHERE id IN (SELECT id FROM locked)`, beforeID, most)
}
