package webhook

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// Backlog returns the number of events that wait for their next attempt, and the due time of the event that has waited
// longest among those whose endpoint can be called; zero if there is none. It reads only the index of pending events.
func (q *Queue) Backlog(ctx context.Context, d *db.DB, now time.Time) (pending int64, oldest time.Time, err error) {
	err = d.Read(ctx).Page(1, func(rows *sql.Rows) error {
		var due sql.NullInt64
		err := rows.Scan(&pending, &due)
		oldest = db.AtNull(due)
		return err
	}, q.sql(pendingOwners+`SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT), MIN(oldest) FROM (
 SELECT (SELECT count(*) FROM {events} e WHERE e.{owner} = p.{owner} AND e.due_at IS NOT NULL) AS n,
 CASE WHEN {url} IS NOT NULL AND {secret} IS NOT NULL AND s.disabled_at IS NULL AND COALESCE(s.pause_until, 0) <= $1
 THEN (SELECT MIN(e.due_at) FROM {events} e WHERE e.{owner} = p.{owner} AND e.due_at <= $1) END AS oldest
 FROM pending p LEFT JOIN {owners} a ON a.id = p.{owner} LEFT JOIN {endpoints} s ON s.{owner} = p.{owner} WHERE p.{owner} IS NOT NULL) AS waiting`), db.Ms(now))
	return pending, oldest, err
}
