package tenant

import (
	"context"

	"example.com/griot/internal/db"
)

// EventsOf returns the latest events about a person of a tenant, newest first.
func EventsOf(ctx context.Context, d *db.DB, tenantID, profileID string, limit int) ([]StoredEvent, error) {
	return readEvents(d.Read(ctx), limit, `SELECT `+eventColumns+` FROM audit_events WHERE tenant_id = $1 AND profile_id = $2 ORDER BY id DESC`, tenantID, profileID)
}

// Redacted is an event whose person was removed.
type Redacted struct{ ID, LoginID string }

// RedactEventsOf removes number, network, and person from events about a person. most is the maximum
// number of events.
func RedactEventsOf(tx *db.Tx, tenantID, profileID string, most int) ([]Redacted, error) {
	return db.Select(&tx.Query, func(scan db.Scan, e *Redacted) error { return scan(&e.ID, db.OrZero(&e.LoginID)) },
		`UPDATE audit_events SET phone = NULL, ip = NULL, profile_id = NULL WHERE id IN (
		SELECT id FROM audit_events WHERE tenant_id = $1 AND profile_id = $2 ORDER BY id LIMIT CAST($3 AS BIGINT)) RETURNING id, login_id`, tenantID, profileID, most)
}

// RedactNumberChanges removes the number from the events that report another number of a person, and returns their ids.
func RedactNumberChanges(tx *db.Tx, tenantID, profileID string) ([]string, error) {
	return db.Select(&tx.Query, func(scan db.Scan, eventID *string) error { return scan(eventID) },
		`UPDATE audit_events SET phone = NULL WHERE tenant_id = $1 AND profile_id = $2 AND type = $3 RETURNING id`, tenantID, profileID, NumberChanged)
}

// RedactStart removes the network from a login's events with ids between two ids: those from before the number was
// known.
func RedactStart(tx *db.Tx, tenantID, loginID, fromID, toID string) error {
	_, err := tx.Exec(`UPDATE audit_events SET ip = NULL WHERE tenant_id = $1 AND last_id >= $2 AND last_id < $3 AND login_id = $4 AND ip IS NOT NULL`, tenantID, fromID, toID, loginID)
	return err
}
