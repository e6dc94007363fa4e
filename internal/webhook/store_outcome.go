package webhook

import (
	"strconv"
	"strings"

	"example.com/griot/internal/db"
)

// outcomeStatements are statements about several outcomes at a time, from the largest to the smallest, so that a
// few texts serve any number.
type outcomeStatements []outcomeStatement

type outcomeStatement struct {
	size            int // outcomes
	events          string
	firsts, attempt string
}

func (q *Queue) outcomeStatements() outcomeStatements {
	const state = `{events} SET claimed = 0, due_at = done.due_at, tries = done.tries, delivered_at = COALESCE(done.delivered_at, {events}.delivered_at), failed_at = done.failed_at`
	const fence = ` FROM done WHERE {events}.{owner} = done.{owner} AND {events}.id = done.id AND {events}.version = done.version`
	row := []string{"TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT"}
	attempt := []string{"BIGINT", "BIGINT", "BIGINT", "TEXT", "TEXT"}
	var all outcomeStatements
	for _, n := range []int{64, 16, 4, 1} {
		all = append(all, outcomeStatement{
			n,
			q.sql(`WITH done({owner}, id, version, due_at, tries, delivered_at, failed_at) AS (VALUES ` + values(n, row...) + `) UPDATE ` + state + fence),
			q.sql(`WITH done({owner}, id, version, due_at, tries, delivered_at, failed_at, at, status, latency, answer, error) AS (VALUES ` + values(n, append(row, attempt...)...) + `)
 UPDATE ` + state + `, first_at = done.at, first_status = done.status, first_latency = done.latency, first_answer = done.answer, first_error = done.error` + fence),
			q.sql(`INSERT INTO {attempts} ({owner}, event_id, version, at, status, latency, answer, error) VALUES ` +
				values(n, append([]string{"TEXT", "TEXT", "BIGINT"}, attempt...)...) + ` ON CONFLICT ({owner}, event_id, version) DO NOTHING`),
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

// FirstClaim is the version of an event after its first claim. Events are stored with 0, or with this version for a
// [Place].
const FirstClaim = 1

// write writes outcomes to their events, each fenced by its version, and the attempts. Attempts of first claims are
// written in the same statements as the events, so an event that is delivered at the first attempt is one row. Other
// attempts are written to the log.
func (s outcomeStatements) write(tx *db.Tx, outcomes []*outcome) error {
	var first, later, attempts []*outcome
	for _, o := range outcomes {
		switch {
		case !o.attempted:
			later = append(later, o)
		case o.Version == FirstClaim:
			first = append(first, o)
		default:
			later, attempts = append(later, o), append(attempts, o)
		}
	}
	_, err := s.each(tx, later, func(t *outcomeStatement) string { return t.events }, func(o *outcome) []any { return o.row() })
	if err != nil {
		return err
	}
	n, err := s.each(tx, first, func(t *outcomeStatement) string { return t.firsts }, func(o *outcome) []any { return append(o.row(), o.attempt()...) })
	if err != nil {
		return err
	}
	if n < len(first) { // some have lost their claims: the log has the attempts of all, and the list shows none twice
		attempts = append(attempts, first...)
	}
	_, err = s.each(tx, attempts, func(t *outcomeStatement) string { return t.attempt }, func(o *outcome) []any {
		return append([]any{o.OwnerID, o.ID, o.Version}, o.attempt()...)
	})
	return err
}

func (o *outcome) row() []any {
	return []any{o.OwnerID, o.ID, o.Version, db.NullMs(o.due), o.failures, db.NullMs(o.delivered), db.NullMs(o.failed)}
}

func (o *outcome) attempt() []any {
	var status any
	if o.result.Status != 0 {
		status = o.result.Status
	}
	return []any{db.Ms(o.at), status, o.result.Took.Milliseconds(), o.result.Answer, db.Null(string(o.result.Class))}
}

// each runs statements about all rows, and returns the number of changed rows.
func (s outcomeStatements) each(tx *db.Tx, rows []*outcome, text func(*outcomeStatement) string, args func(*outcome) []any) (changed int, err error) {
	for i := range s {
		for size := s[i].size; len(rows) >= size; rows = rows[size:] {
			var all []any
			for _, row := range rows[:size] {
				all = append(all, args(row)...)
			}
			n, err := tx.Exec(text(&s[i]), all...)
			if err != nil {
				return 0, err
			}
			changed += int(n)
		}
	}
	return changed, nil
}

// saveHealth stores the health of an owner's endpoint, unless its settings have changed in the meantime or another
// process owns it.
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
