package events

import (
	"database/sql"
	"fmt"
	"time"

	"example.com/griot/internal/db"
)

// streamPage returns the next [streamPageSize] events that were stored for an account's listeners, by time and id.
func streamPage(q *db.Query, account string, since time.Time, afterID string) (out []*Event, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var stored int64
		e, err := scanEvent(rows.Scan, &stored)
		e.Stored = db.At(stored)
		out = append(out, e)
		return err
	}, `SELECT `+eventColumns+`, heard_at FROM webhook_events WHERE account_id = $1 AND heard_at IS NOT NULL AND (heard_at, id) > ($2, $3) ORDER BY heard_at, id`+fmt.Sprint(` LIMIT `, streamPageSize),
		account, db.Ms(since), afterID)
	return out, err
}

// streamedAt returns the time at which an event was stored for an account's listeners, or the zero time.
func streamedAt(q *db.Query, account, eventID string) (time.Time, error) {
	var at sql.NullInt64
	_, err := q.Row(`SELECT heard_at FROM webhook_events WHERE account_id = $1 AND id = $2`, account, eventID).Scan(&at)
	return db.AtNull(at), err
}
