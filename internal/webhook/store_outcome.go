package webhook

import (
	"strconv"
	"strings"

	"example.com/griot/internal/db"
)

// outcomeStatements are statements about several outcomes at once, from the largest to the smallest, so that a few
// texts serve any number.
type outcomeStatements []outcomeStatement

type outcomeStatement struct {
	size             int // outcomes
	event, attempted string
}

func (q *Queue) outcomeStatements() outcomeStatements {
	var all outcomeStatements
	for _, n := range []int{64, 16, 4, 1} {
		all = append(all, outcomeStatement{
			n,
			q.sql(`WITH done({owner}, id, version, due_at, tries, delivered_at, failed_at) AS (VALUES ` +
				values(n, "TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT") + `)
 UPDATE {events} SET claimed = 0, due_at = done.due_at, tries = done.tries, delivered_at = COALESCE(done.delivered_at, {events}.delivered_at), failed_at = done.failed_at
 FROM done WHERE {events}.{owner} = done.{owner} AND {events}.id = done.id AND {events}.version = done.version`),
			q.sql(`INSERT INTO {attempts} ({owner}, event_id, version, at, status, latency, answer, error) VALUES ` +
				values(n, "TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "TEXT") + ` ON CONFLICT ({owner}, event_id, version) DO NOTHING`),
		})
	}
	return all
}

// values returns n rows of placeholders with their types.
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

// write writes outcomes to their events, each fenced by its version, and to the log of attempts.
func (s outcomeStatements) write(tx *db.Tx, outcomes []*outcome) error {
	var attempted []*outcome
	for _, o := range outcomes {
		if o.attempted {
			attempted = append(attempted, o)
		}
	}
	err := s.each(tx, outcomes, func(t *outcomeStatement) string { return t.event }, func(o *outcome) []any {
		return []any{o.OwnerID, o.ID, o.Version, db.NullMs(o.due), o.failures, db.NullMs(o.delivered), db.NullMs(o.failed)}
	})
	if err != nil {
		return err
	}
	return s.each(tx, attempted, func(t *outcomeStatement) string { return t.attempted }, func(o *outcome) []any {
		var status any
		if o.result.Status != 0 {
			status = o.result.Status
		}
		return []any{o.OwnerID, o.ID, o.Version, db.Ms(o.at), status, o.result.Took.Milliseconds(), o.result.Answer, db.Null(string(o.result.Class))}
	})
}

func (s outcomeStatements) each(tx *db.Tx, rows []*outcome, text func(*outcomeStatement) string, args func(*outcome) []any) error {
	for i := range s {
		for size := s[i].size; len(rows) >= size; rows = rows[size:] {
			var all []any
			for _, row := range rows[:size] {
				all = append(all, args(row)...)
			}
			if _, err := tx.Exec(text(&s[i]), all...); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveHealth stores the health of an owner's endpoint, unless its settings were changed since or another process owns it.
func (q *Queue) saveHealth(tx *db.Tx, owner, process string, h *endpointHealth) error {
	_, err := tx.Exec(q.sql(`UPDATE {endpoints} SET pause = $1, pause_until = $2, failing_since = $3, failure_at = $4, success_at = $5, last_status = $6
 WHERE {owner} = $7 AND owner = $8 AND changed_at = $9`), h.breaker.Pause.Milliseconds(), db.NullMs(h.breaker.Until), db.NullMs(h.failingSince), db.NullMs(h.failureAt), db.NullMs(h.successAt),
		h.lastStatus, owner, process, h.changedAt)
	if err != nil || h.disabledAt.IsZero() {
		return err
	}
	_, err = tx.Exec(q.sql(`UPDATE {endpoints} SET disabled_at = $1, disabled_for = $2, noticed_at = NULL WHERE {owner} = $3 AND changed_at = $4 AND disabled_at IS NULL`),
		db.Ms(h.disabledAt), h.disabledFor, owner, h.changedAt)
	return err
}
