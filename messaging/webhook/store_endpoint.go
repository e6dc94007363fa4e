package webhook

import (
	"database/sql"
	"time"

	"griot/internal/db"
)

// Reasons for which an endpoint is disabled.
const (
	ForGone     = "gone"     // it answered 410
	ForFailing  = "failing"  // it has failed for days
	ForOperator = "operator" // an operator did it
)

// State is an account's endpoint as its owner and operators see it. Zero times have not been.
type State struct {
	AccountID, AccountName string
	URL                    string // empty: none
	HasSecret              bool
	PreviousUntil          time.Time // until when the secret before signs too
	ReadReceipts           bool
	PausedUntil            time.Time // the breaker's
	FailingSince           time.Time
	LastFailureAt          time.Time
	LastSuccessAt          time.Time
	LastStatus             int // 0: no answer yet
	DisabledAt             time.Time
	DisabledFor            string
	Pending                int // at most MaxPending + 1
}

// MaxPending is how far pending events are counted.
const MaxPending = 1000

const stateColumns = `a.id, a.name, a.webhook_url, a.webhook_secret, a.webhook_reads, s.previous_until, s.pause, s.pause_until, s.failing_since, s.failure_at, s.success_at, s.last_status, s.disabled_at, s.disabled_for,
 (SELECT count(*) FROM (SELECT 1 FROM webhook_events e WHERE e.account_id = a.id AND e.due_at IS NOT NULL LIMIT 1001) AS p)
 FROM accounts a LEFT JOIN webhook_endpoints s ON s.account_id = a.id`

func scanState(scan func(...any) error) (*State, error) {
	s := &State{}
	var url, secret, reason sql.NullString
	var reads int
	var previous, pause, pauseUntil, failing, failure, success, status, disabled sql.NullInt64
	err := scan(&s.AccountID, &s.AccountName, &url, &secret, &reads, &previous, &pause, &pauseUntil, &failing, &failure, &success, &status, &disabled, &reason, &s.Pending)
	s.URL, s.HasSecret, s.ReadReceipts, s.PreviousUntil, s.PausedUntil = url.String, secret.Valid, reads != 0, db.AtNull(previous), db.AtNull(pauseUntil)
	s.FailingSince, s.LastFailureAt, s.LastSuccessAt, s.LastStatus = db.AtNull(failing), db.AtNull(failure), db.AtNull(success), int(status.Int64)
	s.DisabledAt, s.DisabledFor = db.AtNull(disabled), reason.String
	return s, err
}

// findState returns the state of an account's endpoint, or nil without such an account.
func findState(q *db.Query, account string) (s *State, err error) {
	found := false
	s, err = scanState(func(dest ...any) (err error) {
		found, err = q.Row(`SELECT `+stateColumns+` WHERE a.id = $1`, account).Scan(dest...)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return s, nil
}

// listStates lists the endpoints that there are, in the order of the accounts' ids after one.
func listStates(q *db.Query, after string, limit int) (out []*State, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		s, err := scanState(rows.Scan)
		out = append(out, s)
		return err
	}, `SELECT `+stateColumns+` WHERE a.webhook_url IS NOT NULL AND a.id > $1 ORDER BY a.id LIMIT $2`, after, limit)
	return out, err
}

// renew forgets what was learned of an endpoint: it begins anew, enabled. What it
// forgets cannot come back from the process that learned it.
func renew(tx *db.Tx, account string, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause) VALUES ($1, 0, $2, 0)
 ON CONFLICT (account_id) DO UPDATE SET changed_at = CASE WHEN webhook_endpoints.changed_at >= $2 THEN webhook_endpoints.changed_at + 1 ELSE excluded.changed_at END,
 pause = 0, pause_until = NULL, failing_since = NULL, disabled_at = NULL, disabled_for = NULL, noticed_at = NULL`, account, db.Ms(now))
	return err
}

// disable switches an endpoint off. Nobody is told: whoever asked for it knows.
func disable(tx *db.Tx, account, reason string, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at, disabled_for, noticed_at) VALUES ($1, 0, $2, 0, $2, $3, $2)
 ON CONFLICT (account_id) DO UPDATE SET disabled_at = COALESCE(webhook_endpoints.disabled_at, excluded.disabled_at), disabled_for = COALESCE(webhook_endpoints.disabled_for, excluded.disabled_for),
 noticed_at = COALESCE(webhook_endpoints.noticed_at, excluded.noticed_at)`, account, db.Ms(now), reason)
	return err
}

// keepPrevious lets the secret that is being replaced sign until a time.
func keepPrevious(tx *db.Tx, account string, now, until time.Time) error {
	_, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, previous_secret, previous_until)
 SELECT id, 0, CAST($2 AS BIGINT), 0, webhook_secret, CAST($3 AS BIGINT) FROM accounts WHERE id = $1
 ON CONFLICT (account_id) DO UPDATE SET previous_secret = excluded.previous_secret, previous_until = excluded.previous_until`, account, db.Ms(now), db.Ms(until))
	return err
}

// Notice tells an account that its endpoint was disabled.
type Notice struct {
	AccountID  string
	URL        string
	Reason     string // gone or failing
	DisabledAt time.Time
}

// unnoticed lists endpoints that were disabled since a time without the account being told.
func unnoticed(q *db.Query, since time.Time, limit int) (out []*Notice, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		n := &Notice{}
		var url sql.NullString
		var at int64
		err := rows.Scan(&n.AccountID, &url, &n.Reason, &at)
		n.URL, n.DisabledAt = url.String, db.At(at)
		out = append(out, n)
		return err
	}, `SELECT s.account_id, a.webhook_url, s.disabled_for, s.disabled_at FROM webhook_endpoints s JOIN accounts a ON a.id = s.account_id
 WHERE s.disabled_at >= $1 AND s.noticed_at IS NULL LIMIT $2`, db.Ms(since), limit)
	return out, err
}

func noticed(tx *db.Tx, n *Notice, at time.Time) error {
	_, err := tx.Exec(`UPDATE webhook_endpoints SET noticed_at = $1 WHERE account_id = $2 AND disabled_at = $3`, db.Ms(at), n.AccountID, db.Ms(n.DisabledAt))
	return err
}
