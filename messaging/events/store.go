package events

import "example.com/griot/internal/db"

// Insert stores an event in the transaction of its change. It is due at once if the account has an endpoint, and in the
// stream if there is a listener.
func Insert(tx *db.Tx, e *Event) error {
	stored := e.Stored
	if stored.IsZero() {
		stored = e.At
	}
	return tx.Queue(nil, `INSERT INTO webhook_events (account_id, id, type, body, due_at, claimed, version, tries, heard_at, created_at)
 SELECT id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CASE WHEN webhook_url IS NOT NULL THEN CAST($5 AS BIGINT) END, 0, 0, 0,
 CASE WHEN listen_until > $6 THEN CAST($6 AS BIGINT) END, CAST($5 AS BIGINT) FROM accounts WHERE id = $1`,
		e.AccountID, e.ID, e.Type, e.Body, db.Ms(e.At), db.Ms(stored))
}

const eventColumns = `account_id, id, type, body, created_at`

func scanEvent(scan func(...any) error, more ...any) (*Event, error) {
	e := &Event{}
	var at int64
	err := scan(append([]any{&e.AccountID, &e.ID, &e.Type, &e.Body, &at}, more...)...)
	e.At = db.At(at)
	return e, err
}
