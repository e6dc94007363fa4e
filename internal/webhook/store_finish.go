package webhook

import (
	"strconv"
	"strings"
	"time"

	"griot/internal/db"
)

// finish is how a claim ended.
type finish struct {
	*Claimed
	due       time.Time // zero: nothing more to do
	tries     int
	delivered time.Time
	failed    time.Time
	tried     bool // false: it was given back untried
	at        time.Time
	result    Result
}

// finishers are the texts of statements about several claims at once: the largest
// that fits is used first, so that few texts do for all numbers.
type finishers []finisher

type finisher struct {
	size         int
	finish, keep string
}

func (q *Queue) finishers() finishers {
	var f finishers
	for _, n := range []int{64, 16, 4, 1} {
		f = append(f, finisher{
			n,
			q.sql(`WITH done({owner}, id, attempt, due_at, tries, delivered_at, failed_at) AS (VALUES ` +
				values(n, "TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT") + `)
 UPDATE {events} SET claimed = 0, due_at = done.due_at, tries = done.tries, delivered_at = COALESCE(done.delivered_at, {events}.delivered_at), failed_at = done.failed_at
 FROM done WHERE {events}.{owner} = done.{owner} AND {events}.id = done.id AND {events}.attempt = done.attempt`),
			q.sql(`INSERT INTO {attempts} ({owner}, event_id, attempt, at, status, latency, answer, error) VALUES ` +
				values(n, "TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "TEXT") + ` ON CONFLICT ({owner}, event_id, attempt) DO NOTHING`),
		})
	}
	return f
}

// values writes n rows of placeholders with their types.
func values(n int, types ...string) string {
	var b strings.Builder
	arg := 0
	for row := range n {
		if row > 0 {
			b.WriteString(", ")
		}
		for i, t := range types {
			arg++
			b.WriteString([]string{"(", ", "}[min(i, 1)] + "CAST($" + strconv.Itoa(arg) + " AS " + t + ")")
		}
		b.WriteString(")")
	}
	return b.String()
}

// write ends claims, each guarded by its attempt, and logs the tries.
func (f finishers) write(tx *db.Tx, done []*finish) error {
	var tried []*finish
	for _, d := range done {
		if d.tried {
			tried = append(tried, d)
		}
	}
	err := f.each(tx, done, func(t *finisher) string { return t.finish }, func(d *finish) []any {
		return []any{d.OwnerID, d.ID, d.Attempt, db.NullMs(d.due), d.tries, db.NullMs(d.delivered), db.NullMs(d.failed)}
	})
	if err != nil {
		return err
	}
	return f.each(tx, tried, func(t *finisher) string { return t.keep }, func(d *finish) []any {
		var status any
		if d.result.Status != 0 {
			status = d.result.Status
		}
		return []any{d.OwnerID, d.ID, d.Attempt, db.Ms(d.at), status, d.result.Took.Milliseconds(), d.result.Answer, db.Null(string(d.result.Class))}
	})
}

func (f finishers) each(tx *db.Tx, rows []*finish, text func(*finisher) string, args func(*finish) []any) error {
	for i := range f {
		for size := f[i].size; len(rows) >= size; rows = rows[size:] {
			var all []any
			for _, row := range rows[:size] {
				all = append(all, args(row)...)
			}
			if _, err := tx.Exec(text(&f[i]), all...); err != nil {
				return err
			}
		}
	}
	return nil
}

// learn stores what is remembered of an endpoint, unless it was changed since.
func (q *Queue) learn(tx *db.Tx, owner, process string, r *record) error {
	_, err := tx.Exec(q.sql(`UPDATE {endpoints} SET pause = $1, pause_until = $2, failing_since = $3, failure_at = $4, success_at = $5, last_status = $6
 WHERE {owner} = $7 AND owner = $8 AND changed_at = $9`), r.pause.Milliseconds(), db.NullMs(r.pauseUntil), db.NullMs(r.failingSince), db.NullMs(r.failureAt), db.NullMs(r.successAt),
		r.lastStatus, owner, process, r.changedAt)
	if err != nil || r.disabledAt.IsZero() {
		return err
	}
	_, err = tx.Exec(q.sql(`UPDATE {endpoints} SET disabled_at = $1, disabled_for = $2, noticed_at = NULL WHERE {owner} = $3 AND changed_at = $4 AND disabled_at IS NULL`),
		db.Ms(r.disabledAt), r.disabledFor, owner, r.changedAt)
	return err
}
