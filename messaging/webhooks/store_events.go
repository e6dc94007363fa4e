package webhooks

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

// markStreamed stores the time at which a program got events that have no endpoint.
func markStreamed(tx *db.Tx, account string, list []*Event, now time.Time) error {
	for _, e := range list {
		err := tx.Queue(nil, `UPDATE webhook_events SET streamed_at = $1 WHERE account_id = $2 AND id = $3 AND streamed_at IS NULL AND due_at IS NULL AND delivered_at IS NULL AND failed_at IS NULL`,
			db.Ms(now), account, e.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// selectStreamed returns the times at which programs got an account's events, between the first and the last of a list.
func selectStreamed(q *db.Query, account string, list []*Stored) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	if len(list) == 0 {
		return out, nil
	}
	first, last := list[0].ID, list[0].ID
	for _, e := range list {
		first, last = min(first, e.ID), max(last, e.ID)
	}
	err := q.Each(func(rows *sql.Rows) error {
		var id string
		var at int64
		err := rows.Scan(&id, &at)
		out[id] = db.At(at)
		return err
	}, `SELECT id, streamed_at FROM webhook_events WHERE account_id = $1 AND id >= $2 AND id <= $3 AND streamed_at IS NOT NULL`, account, first, last)
	return out, err
}
