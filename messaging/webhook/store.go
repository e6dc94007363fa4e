package webhook

import "griot/internal/db"

// Insert stores an event beside its change.
func Insert(tx *db.Tx, e *Event) error {
	_, err := tx.Exec(`INSERT INTO webhook_events (id, account_id, type, body, due_at, attempt, created_at) VALUES ($1, $2, $3, $4, $5, 0, $5)`,
		e.ID, e.AccountID, e.Type, e.Body, db.Ms(e.At))
	return err
}
