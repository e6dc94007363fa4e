package webhooks

import (
	"example.com/griot/internal/db"
	"example.com/griot/internal/webhook"
)

// Insert stores an event in the transaction of its change, and notifies signal of the commit. If the account has an
// endpoint, the event is due immediately, or the endpoint's worker gets it without a claim. If there is a listener,
// the event is in the stream.
func Insert(tx *db.Tx, signal *webhook.Signal, e *Event) error {
	stored := e.Stored
	if stored.IsZero() {
		stored = e.At
	}
	due, version := e.At, 0
	if p := signal.Offer(e.AccountID); p != nil {
		p.Hold(e.ID, e.Body)
		tx.AfterCommit(p.Ended)
		due, version = p.Lease, webhook.FirstClaim
	} else {
		tx.AfterCommit(signal.Committed)
	}
	return tx.Queue(nil, `INSERT INTO webhook_events (account_id, id, type, body, due_at, claimed, version, tries, heard_at, created_at)
 SELECT id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CASE WHEN webhook_url IS NOT NULL THEN CAST($7 AS BIGINT) END, CAST($8 AS BIGINT), CAST($8 AS BIGINT), 0,
 CASE WHEN listen_until > $6 THEN CAST($6 AS BIGINT) END, CAST($5 AS BIGINT) FROM accounts WHERE id = $1`,
		e.AccountID, e.ID, e.Type, e.Body, db.Ms(e.At), db.Ms(stored), db.Ms(due), version)
}

const eventColumns = `account_id, id, type, body, created_at`

func scanEvent(scan func(...any) error, more ...any) (*Event, error) {
	e := &Event{}
	var at int64
	err := scan(append([]any{&e.AccountID, &e.ID, &e.Type, &e.Body, &at}, more...)...)
	e.At = db.At(at)
	return e, err
}
