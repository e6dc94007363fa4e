package tenant

import "example.com/griot/internal/db"

// DeleteStarts deletes at most so many of the starts of logins whose ids are less than an id.
// The type is written out for the partial index audit_events_started.
func DeleteStarts(tx *db.Tx, beforeID string, most int) (deleted int64, err error) {
	return tx.Exec(`DELETE FROM audit_events WHERE id IN (
		SELECT id FROM audit_events WHERE type = 'login.started' AND id < $1 ORDER BY id LIMIT $2 /*lock*/)`, beforeID, most)
}

// DeleteEvents deletes at most so many of the events whose ids are less than an id.
func DeleteEvents(tx *db.Tx, beforeID string, most int) (deleted int64, err error) {
	return tx.Exec(`DELETE FROM audit_events WHERE id IN (
		SELECT id FROM audit_events WHERE id < $1 ORDER BY id LIMIT $2 /*lock*/)`, beforeID, most)
}
