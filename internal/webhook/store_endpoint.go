package webhook

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
)

// The reasons for disabling an endpoint.
const (
	ForGone     = "gone"     // it responded with 410
	ForFailing  = "failing"  // it has failed for days
	ForOperator = "operator" // an operator disabled it
)

// State is the state of an endpoint as its owner and operators see it. A zero time means never.
type State struct {
	OwnerID, OwnerName string
	URL                string // empty: none
	HasSecret          bool
	PreviousUntil      time.Time // the previous secret also signs until then
	Choice             bool      // the value of [Tables.Choice]
	PausedUntil        time.Time // by the circuit breaker
	FailingSince       time.Time
	LastFailureAt      time.Time
	LastSuccessAt      time.Time
	LastStatus         int // 0: no response yet
	DisabledAt         time.Time
	DisabledFor        string
	Pending            int // at most MaxPending + 1
}

// MaxPending is the limit up to which pending events are counted.
const MaxPending = 1000

const stateColumns = `a.id, a.name, {url}, {secret}, {choice}, s.previous_until, s.pause, s.pause_until, s.failing_since, s.failure_at, s.success_at, s.last_status, s.disabled_at, s.disabled_for,
 (SELECT count(*) FROM (SELECT 1 FROM {events} e WHERE e.{owner} = a.id AND e.due_at IS NOT NULL LIMIT 1001) AS p)
 FROM {owners} a LEFT JOIN {endpoints} s ON s.{owner} = a.id`

func scanState(scan func(...any) error) (*State, error) {
	s := &State{}
	var url, secret, reason sql.NullString
	var choice int
	var previous, pause, pauseUntil, failing, failure, success, status, disabled sql.NullInt64
	err := scan(&s.OwnerID, &s.OwnerName, &url, &secret, &choice, &previous, &pause, &pauseUntil, &failing, &failure, &success, &status, &disabled, &reason, &s.Pending)
	s.URL, s.HasSecret, s.Choice, s.PreviousUntil, s.PausedUntil = url.String, secret.Valid, choice != 0, db.AtNull(previous), db.AtNull(pauseUntil)
	s.FailingSince, s.LastFailureAt, s.LastSuccessAt, s.LastStatus = db.AtNull(failing), db.AtNull(failure), db.AtNull(success), int(status.Int64)
	s.DisabledAt, s.DisabledFor = db.AtNull(disabled), reason.String
	return s, err
}

// state returns the state of an owner's endpoint, or nil if the owner doesn't exist.
func (q *Queue) state(r *db.Query, owner string) (s *State, err error) {
	found := false
	s, err = scanState(func(dest ...any) (err error) {
		found, err = r.Row(q.sql(`SELECT `+stateColumns+` WHERE a.id = $1`), owner).Scan(dest...)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return s, nil
}

// states returns the endpoints after an id, in the order of the owners' ids.
func (q *Queue) states(r *db.Query, after string, limit int) (out []*State, err error) {
	err = r.Page(limit, func(rows *sql.Rows) error {
		s, err := scanState(rows.Scan)
		out = append(out, s)
		return err
	}, q.sql(`SELECT `+stateColumns+` WHERE {url} IS NOT NULL AND a.id > $1 ORDER BY a.id`), after)
	return out, err
}

// Reset enables an endpoint and clears its health. It raises changed_at, so that the process that owns the endpoint
// cannot write the old health again.
func (q *Queue) Reset(tx *db.Tx, owner string, now time.Time) error {
	_, err := q.resetUnless(tx, owner, "", now)
	return err
}

// resetUnless resets like Reset, except for an endpoint that was disabled for a given reason. That one stays
// unchanged, and reset is false.
func (q *Queue) resetUnless(tx *db.Tx, owner, disabledFor string, now time.Time) (reset bool, err error) {
	n, err := tx.Exec(q.sql(`INSERT INTO {endpoints} ({owner}, owner_until, changed_at, pause) VALUES ($1, 0, $2, 0)
 ON CONFLICT ({owner}) DO UPDATE SET changed_at = CASE WHEN {endpoints}.changed_at >= $2 THEN {endpoints}.changed_at + 1 ELSE excluded.changed_at END,
 pause = 0, pause_until = NULL, failing_since = NULL, disabled_at = NULL, disabled_for = NULL, noticed_at = NULL
 WHERE {endpoints}.disabled_for IS NULL OR {endpoints}.disabled_for <> $3`), owner, db.Ms(now), disabledFor)
	return n == 1, err
}

// resetDisabled resets like Reset, but only an endpoint that is disabled, and not by an operator. Any other
// stays unchanged.
func (q *Queue) resetDisabled(tx *db.Tx, owner string, now time.Time) (enabled bool, err error) {
	n, err := tx.Exec(q.sql(`UPDATE {endpoints} SET changed_at = CASE WHEN changed_at >= $2 THEN changed_at + 1 ELSE $2 END,
 pause = 0, pause_until = NULL, failing_since = NULL, disabled_at = NULL, disabled_for = NULL, noticed_at = NULL
 WHERE {owner} = $1 AND disabled_at IS NOT NULL AND disabled_for <> $3`), owner, db.Ms(now), ForOperator)
	return n == 1, err
}

// disable disables an endpoint, without a notice.
func (q *Queue) disable(tx *db.Tx, owner, reason string, now time.Time) error {
	_, err := tx.Exec(q.sql(`INSERT INTO {endpoints} ({owner}, owner_until, changed_at, pause, disabled_at, disabled_for, noticed_at) VALUES ($1, 0, $2, 0, $2, $3, $2)
 ON CONFLICT ({owner}) DO UPDATE SET disabled_at = COALESCE({endpoints}.disabled_at, excluded.disabled_at), disabled_for = COALESCE({endpoints}.disabled_for, excluded.disabled_for),
 noticed_at = COALESCE({endpoints}.noticed_at, excluded.noticed_at)`), owner, db.Ms(now), reason)
	return err
}

// keepPrevious stores the secret that is being replaced, which signs until a time, and ends the circuit breaker's pause
// like [Queue.Reset]. A disabled endpoint stays disabled. A secret that is replaced within [forms.RepeatTime] isn't kept,
// and the one before it continues to sign. In this case a form was sent twice, and no one has seen the secret in
// between.
func (q *Queue) keepPrevious(tx *db.Tx, owner string, now, until time.Time) error {
	_, err := tx.Exec(q.sql(`INSERT INTO {endpoints} ({owner}, owner_until, changed_at, pause, previous_secret, previous_until)
 SELECT a.id, 0, CAST($2 AS BIGINT), 0, {secret}, CAST($3 AS BIGINT) FROM {owners} a WHERE a.id = $1 AND {secret} IS NOT NULL
 ON CONFLICT ({owner}) DO UPDATE SET changed_at = CASE WHEN {endpoints}.changed_at >= $2 THEN {endpoints}.changed_at + 1 ELSE excluded.changed_at END,
 pause = 0, pause_until = NULL, previous_until = excluded.previous_until,
 previous_secret = CASE WHEN {endpoints}.previous_until > $4 THEN {endpoints}.previous_secret ELSE excluded.previous_secret END`), owner, db.Ms(now), db.Ms(until), db.Ms(until.Add(-forms.RepeatTime)))
	return err
}

// Notice reports that an owner's endpoint was disabled.
type Notice struct {
	OwnerID    string
	URL        string
	Reason     string // [ForGone] or [ForFailing]
	DisabledAt time.Time
}

// openNotices returns the endpoints that were disabled since a time, if that is not recorded yet.
func (q *Queue) openNotices(r *db.Query, since time.Time, limit int) (out []*Notice, err error) {
	err = r.Each(func(rows *sql.Rows) error {
		n := &Notice{}
		var url sql.NullString
		var at int64
		err := rows.Scan(&n.OwnerID, &url, &n.Reason, &at)
		n.URL, n.DisabledAt = url.String, db.At(at)
		out = append(out, n)
		return err
	}, q.sql(`SELECT s.{owner}, {url}, s.disabled_for, s.disabled_at FROM {endpoints} s JOIN {owners} a ON a.id = s.{owner}
 WHERE s.disabled_at >= $1 AND s.noticed_at IS NULL LIMIT CAST($2 AS BIGINT)`), db.Ms(since), limit)
	return out, err
}

// closeNotice records that an endpoint was disabled. first is false if it was recorded before.
func (q *Queue) closeNotice(tx *db.Tx, n *Notice, at time.Time) (first bool, err error) {
	changed, err := tx.Exec(q.sql(`UPDATE {endpoints} SET noticed_at = $1 WHERE {owner} = $2 AND disabled_at = $3 AND noticed_at IS NULL`), db.Ms(at), n.OwnerID, db.Ms(n.DisabledAt))
	return changed == 1, err
}
