package connections

import (
	"database/sql"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

// MaxHistory is the maximum number of stored states per sender.
const MaxHistory = 20

// A Change is a past state of a sender's connection.
type Change struct {
	gateway.ConnDetail
	At time.Time
}

// History returns the latest states of a sender's connection, newest first.
func History(q *db.Query, senderID string) (out []Change, err error) {
	err = q.Page(MaxHistory, func(rows *sql.Rows) error {
		var c Change
		var at int64
		var until sql.NullInt64
		err := rows.Scan(&at, &c.State, &c.Reason, &until)
		c.At, c.Until = db.At(at), db.AtNull(until)
		out = append(out, c)
		return err
	}, `SELECT at, state, reason, until_at FROM sender_state_changes WHERE sender_id = $1 ORDER BY id DESC`, senderID)
	return out, err
}

// recordChange adds a state to a sender's history and deletes states above the limit.
func recordChange(tx *db.Tx, senderID string, to observed, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO sender_state_changes (sender_id, id, at, state, reason, until_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		senderID, id.New(now), db.Ms(to.since), string(to.State), to.Reason, db.NullMs(to.Until))
	if err == nil {
		_, err = tx.Exec(`DELETE FROM sender_state_changes WHERE sender_id = $1 AND id NOT IN (SELECT id FROM sender_state_changes WHERE sender_id = $1 ORDER BY id DESC LIMIT CAST($2 AS BIGINT))`, senderID, MaxHistory)
	}
	return err
}
