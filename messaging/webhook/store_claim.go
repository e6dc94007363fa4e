package webhook

import (
	"database/sql"
	"time"

	"griot/internal/db"
)

// pendingAccounts steps from account to account over the index of pending events:
// it costs as much as there are such accounts, whatever their backlogs.
const pendingAccounts = `WITH RECURSIVE pending(account_id) AS (
 SELECT * FROM (SELECT account_id FROM webhook_events WHERE due_at IS NOT NULL ORDER BY account_id LIMIT 1) AS first
 UNION ALL
 SELECT (SELECT e.account_id FROM webhook_events e WHERE e.account_id > p.account_id AND e.due_at IS NOT NULL ORDER BY e.account_id LIMIT 1)
 FROM pending p WHERE p.account_id IS NOT NULL)
`

// reachable: the endpoint is there, and may be tried now ($1) by this owner ($2).
const reachable = `a.webhook_url IS NOT NULL AND a.webhook_secret IS NOT NULL AND s.disabled_at IS NULL AND COALESCE(s.pause_until, 0) <= $1
 AND (COALESCE(s.owner_until, 0) <= $1 OR s.owner = $2)`

// Due lists the accounts that have due events and an endpoint that owner may try.
func Due(q *db.Query, now time.Time, owner string) (accounts []string, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var account string
		err := rows.Scan(&account)
		accounts = append(accounts, account)
		return err
	}, pendingAccounts+`SELECT p.account_id FROM pending p JOIN accounts a ON a.id = p.account_id LEFT JOIN webhook_endpoints s ON s.account_id = p.account_id
 WHERE `+reachable+` AND EXISTS (SELECT 1 FROM webhook_events e WHERE e.account_id = p.account_id AND e.due_at <= $1)`, db.Ms(now), owner)
	return accounts, err
}

// target is an account's endpoint as a claim found it.
type target struct {
	url, secret, previous string // the secrets sealed
	previousUntil         time.Time
	record
}

// record is what is remembered of how an endpoint does.
type record struct {
	changedAt    int64
	pause        time.Duration
	pauseUntil   time.Time
	failingSince time.Time
	failureAt    time.Time
	successAt    time.Time
	lastStatus   int
	disabledAt   time.Time
	disabledFor  string
}

// findTarget returns the account's endpoint if it may be tried now by owner, or nil.
func findTarget(q *db.Query, account, owner string, now time.Time) (*target, error) {
	t := &target{}
	var previous sql.NullString
	var previousUntil, changed, pause, pauseUntil, failing, failure, success, status sql.NullInt64
	found, err := q.Row(`SELECT a.webhook_url, a.webhook_secret, s.previous_secret, s.previous_until, s.changed_at, s.pause, s.pause_until, s.failing_since, s.failure_at, s.success_at, s.last_status
 FROM accounts a LEFT JOIN webhook_endpoints s ON s.account_id = a.id WHERE a.id = $3 AND `+reachable, db.Ms(now), owner, account).
		Scan(&t.url, &t.secret, &previous, &previousUntil, &changed, &pause, &pauseUntil, &failing, &failure, &success, &status)
	if err != nil || !found {
		return nil, err
	}
	t.previous, t.previousUntil = previous.String, db.AtNull(previousUntil)
	t.changedAt, t.pause, t.pauseUntil = changed.Int64, time.Duration(pause.Int64)*time.Millisecond, db.AtNull(pauseUntil)
	t.failingSince, t.failureAt, t.successAt, t.lastStatus = db.AtNull(failing), db.AtNull(failure), db.AtNull(success), int(status.Int64)
	return t, nil
}

// own makes owner the endpoint's until a time. It reports false when another process has it.
func own(tx *db.Tx, account, owner string, now, until time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner, owner_until, changed_at, pause) VALUES ($1, $2, $3, 0, 0)
 ON CONFLICT (account_id) DO UPDATE SET owner = excluded.owner, owner_until = excluded.owner_until
 WHERE webhook_endpoints.owner_until <= $4 OR webhook_endpoints.owner = excluded.owner`, account, owner, db.Ms(until), db.Ms(now))
	return n == 1, err
}

// disown gives back what a process that ends has owned.
func disown(tx *db.Tx, owner string) error {
	_, err := tx.Exec(`UPDATE webhook_endpoints SET owner = NULL, owner_until = 0 WHERE owner = $1`, owner)
	return err
}

// Claimed is an event that this process may try.
type Claimed struct {
	*Event
	Attempt int64 // the fence
	Tries   int   // that failed before
	Lease   time.Time
}

// Claim takes up to n of an account's due events, the longest due first, for tries that end before lease.
func Claim(tx *db.Tx, account string, now, lease time.Time, n int) (out []*Claimed, err error) {
	err = tx.Each(func(rows *sql.Rows) error {
		c := &Claimed{Lease: lease}
		var err error
		c.Event, err = scanEvent(rows.Scan, &c.Attempt, &c.Tries)
		out = append(out, c)
		return err
	}, `UPDATE webhook_events SET claimed = 1, attempt = attempt + 1, due_at = $1 WHERE account_id = $2 AND id IN
 (SELECT id FROM webhook_events WHERE account_id = $2 AND due_at <= $3 ORDER BY due_at LIMIT $4 /*lock*/) RETURNING `+eventColumns+`, attempt, tries`,
		db.Ms(lease), account, db.Ms(now), n)
	return out, err
}

// reclaim makes every event due that a worker had when the process ended. Only for
// a database that no other process uses; lease is the most that a claim is for.
func reclaim(tx *db.Tx, now time.Time, lease time.Duration) error {
	_, err := tx.Exec(`UPDATE webhook_events SET due_at = $1, claimed = 0 WHERE account_id IN (SELECT account_id FROM webhook_endpoints WHERE owner IS NOT NULL)
 AND due_at > $1 AND due_at <= $2 AND claimed = 1`, db.Ms(now), db.Ms(now.Add(lease)))
	if err == nil {
		_, err = tx.Exec(`UPDATE webhook_endpoints SET owner = NULL, owner_until = 0 WHERE owner IS NOT NULL`)
	}
	return err
}
