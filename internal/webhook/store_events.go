package webhook

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

const resent = `UPDATE {events} SET due_at = $1, tries = 0, claimed = 0, version = version + 1, failed_at = NULL WHERE {owner} = $2`

// resend makes an event due, with all attempts of the schedule. The outcome of an attempt in flight is discarded.
func (q *Queue) resend(tx *db.Tx, owner, eventID string, now time.Time) (bool, error) {
	n, err := tx.Exec(q.sql(resent+` AND id = $3`), db.Ms(now), owner, eventID)
	return n == 1, err
}

// resendFailed makes failed events due, the next ones after an id; last is empty if there are no more.
func (q *Queue) resendFailed(tx *db.Tx, owner, after string, now time.Time, limit int) (n int, last string, err error) {
	err = tx.Each(func(rows *sql.Rows) error {
		var eventID string
		err := rows.Scan(&eventID)
		last = max(last, eventID)
		n++
		return err
	}, q.sql(resent+` AND id IN (SELECT id FROM {events} WHERE {owner} = $2 AND id > $3 AND failed_at IS NOT NULL AND due_at IS NULL ORDER BY id LIMIT CAST($4 AS BIGINT)) RETURNING id`),
		db.Ms(now), owner, after, limit)
	return n, last, err
}

// Import stores a past event and its attempts, the first one first, in the caller's transaction. It writes the rows
// that a [Dispatcher] would have written. Nothing is sent to the endpoint.
func (q *Queue) Import(tx *db.Tx, owner string, e *Stored, attempts []*Attempt) error {
	_, err := tx.Exec(q.sql(`INSERT INTO {events} ({owner}, id, type, body, claimed, version, tries, delivered_at, failed_at, created_at) VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9)`),
		owner, e.ID, e.Type, e.Body, len(attempts), e.Tries, db.NullMs(e.DeliveredAt), db.NullMs(e.FailedAt), db.Ms(e.At))
	for i, a := range attempts {
		if err == nil {
			_, err = tx.Exec(q.sql(`INSERT INTO {attempts} ({owner}, event_id, version, at, status, latency, answer, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`),
				owner, e.ID, FirstClaim+i, db.Ms(a.At), a.Status, a.Latency.Milliseconds(), a.Answer, db.Null(a.Error))
		}
	}
	return err
}

const sweepSize = 250

// sweep deletes events and attempts that are older than a time, a bounded number of each. more reports whether there
// might be others.
func (q *Queue) sweep(tx *db.Tx, olderThan time.Time) (more bool, err error) {
	before := id.Event + id.First(olderThan)
	events, err := tx.Exec(q.sql(`WITH RECURSIVE known({owner}) AS (
 SELECT * FROM (SELECT {owner} FROM {events} ORDER BY {owner} LIMIT 1) AS first
 UNION ALL SELECT (SELECT e.{owner} FROM {events} e WHERE e.{owner} > k.{owner} ORDER BY e.{owner} LIMIT 1) FROM known k WHERE k.{owner} IS NOT NULL)
 DELETE FROM {events} WHERE ({owner}, id) IN
 (SELECT e.{owner}, e.id FROM known k JOIN {events} e ON e.{owner} = k.{owner} AND e.id < $1 LIMIT CAST($2 AS BIGINT))`), before, sweepSize)
	if err != nil {
		return false, err
	}
	attempts, err := tx.Exec(q.sql(`WITH RECURSIVE known({owner}) AS (
 SELECT * FROM (SELECT {owner} FROM {attempts} ORDER BY {owner} LIMIT 1) AS first
 UNION ALL SELECT (SELECT e.{owner} FROM {attempts} e WHERE e.{owner} > k.{owner} ORDER BY e.{owner} LIMIT 1) FROM known k WHERE k.{owner} IS NOT NULL)
 DELETE FROM {attempts} WHERE ({owner}, event_id, version) IN
 (SELECT e.{owner}, e.event_id, e.version FROM known k JOIN {attempts} e ON e.{owner} = k.{owner} AND e.event_id < $1 LIMIT CAST($2 AS BIGINT))`), before, sweepSize)
	return events == sweepSize || attempts == sweepSize, err
}
