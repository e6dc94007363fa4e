package webhook

import (
	"database/sql"
	"time"

	"example.com/griot/internal/breaker"
	"example.com/griot/internal/db"
)

// pendingOwners steps from owner to owner over the index of pending events, so its cost depends on the number of
// owners, not on their backlogs.
const pendingOwners = `WITH RECURSIVE pending({owner}) AS (
 SELECT * FROM (SELECT {owner} FROM {events} WHERE due_at IS NOT NULL ORDER BY {owner} LIMIT 1) AS first
 UNION ALL
 SELECT (SELECT e.{owner} FROM {events} e WHERE e.{owner} > p.{owner} AND e.due_at IS NOT NULL ORDER BY e.{owner} LIMIT 1)
 FROM pending p WHERE p.{owner} IS NOT NULL)
`

// reachable is the SQL condition that there is an endpoint, and that this process ($2) can call it now ($1).
const reachable = `{url} IS NOT NULL AND {secret} IS NOT NULL AND s.disabled_at IS NULL AND COALESCE(s.pause_until, 0) <= $1
 AND (COALESCE(s.owner_until, 0) <= $1 OR s.owner = $2)`

// Due returns the owners that have due events and an endpoint that process can call.
func (q *Queue) Due(r *db.Query, now time.Time, process string) (owners []string, err error) {
	err = r.Each(func(rows *sql.Rows) error {
		var owner string
		err := rows.Scan(&owner)
		owners = append(owners, owner)
		return err
	}, q.sql(pendingOwners+`SELECT p.{owner} FROM pending p JOIN {owners} a ON a.id = p.{owner} LEFT JOIN {endpoints} s ON s.{owner} = p.{owner}
 WHERE `+reachable+` AND EXISTS (SELECT 1 FROM {events} e WHERE e.{owner} = p.{owner} AND e.due_at <= $1)`), db.Ms(now), process)
	return owners, err
}

// target is an owner's endpoint as a claim has read it.
type target struct {
	url, secret, previous string // the secrets are sealed
	previousUntil         time.Time
	keys                  [][]byte // the opened secrets that signed when the target was read; nil: not opened yet
	endpointHealth
}

// target returns the owner's endpoint if process can call it now, or nil.
func (q *Queue) target(r *db.Query, owner, process string, now time.Time) (*target, error) {
	t := &target{}
	var previous sql.NullString
	var previousUntil, changed, pause, pauseUntil, failing, failure, success, status sql.NullInt64
	found, err := r.Row(q.sql(`SELECT {url}, {secret}, s.previous_secret, s.previous_until, s.changed_at, s.pause, s.pause_until, s.failing_since, s.failure_at, s.success_at, s.last_status
 FROM {owners} a LEFT JOIN {endpoints} s ON s.{owner} = a.id WHERE a.id = $3 AND `+reachable), db.Ms(now), process, owner).
		Scan(&t.url, &t.secret, &previous, &previousUntil, &changed, &pause, &pauseUntil, &failing, &failure, &success, &status)
	if err != nil || !found {
		return nil, err
	}
	t.previous, t.previousUntil = previous.String, db.AtNull(previousUntil)
	t.changedAt, t.breaker = changed.Int64, breaker.State{Pause: time.Duration(pause.Int64) * time.Millisecond, Until: db.AtNull(pauseUntil)}
	t.failingSince, t.failureAt, t.successAt, t.lastStatus = db.AtNull(failing), db.AtNull(failure), db.AtNull(success), int(status.Int64)
	return t, nil
}

// ownEndpoint makes process the owner of the endpoint until a time. It returns false while another process owns it.
func (q *Queue) ownEndpoint(tx *db.Tx, owner, process string, now, until time.Time) (bool, error) {
	n, err := tx.Exec(q.sql(`INSERT INTO {endpoints} ({owner}, owner, owner_until, changed_at, pause) VALUES ($1, $2, $3, 0, 0)
 ON CONFLICT ({owner}) DO UPDATE SET owner = excluded.owner, owner_until = excluded.owner_until
 WHERE {endpoints}.owner_until <= $4 OR {endpoints}.owner = excluded.owner`), owner, process, db.Ms(until), db.Ms(now))
	return n == 1, err
}

// releaseEndpoints ends the ownership of all endpoints of a process.
func (q *Queue) releaseEndpoints(tx *db.Tx, process string) error {
	_, err := tx.Exec(q.sql(`UPDATE {endpoints} SET owner = NULL, owner_until = 0 WHERE owner = $1`), process)
	return err
}

// Claimed is an event that this process can attempt to deliver.
type Claimed struct {
	OwnerID, ID, Body string
	Version           int64 // of the row: the fence of the outcome
	Failures          int   // failed attempts so far
	Lease             time.Time
}

// Claim claims up to n of an owner's due events, the longest due first, for attempts that end before lease.
func (q *Queue) Claim(tx *db.Tx, owner string, now, lease time.Time, n int) (out []*Claimed, err error) {
	err = tx.Each(func(rows *sql.Rows) error {
		c := &Claimed{OwnerID: owner, Lease: lease}
		err := rows.Scan(&c.ID, &c.Body, &c.Version, &c.Failures)
		out = append(out, c)
		return err
	}, q.sql(`WITH locked AS (SELECT id FROM {events} WHERE {owner} = $2 AND due_at <= $3 ORDER BY due_at LIMIT CAST($4 AS BIGINT) /*lock*/)
 UPDATE {events} SET claimed = 1, version = version + 1, due_at = $1 WHERE {owner} = $2 AND id IN (SELECT id FROM locked) RETURNING id, body, version, tries`),
		db.Ms(lease), owner, db.Ms(now), n)
	return out, err
}

// releaseAll makes every event due that a previous process had claimed when it died, and ends that process's
// ownerships. It is only for a database that no other process uses. lease is the longest lease of a claim.
func (q *Queue) releaseAll(tx *db.Tx, now time.Time, lease time.Duration) error {
	_, err := tx.Exec(q.sql(`UPDATE {events} SET due_at = $1, claimed = 0 WHERE {owner} IN (SELECT {owner} FROM {endpoints} WHERE owner IS NOT NULL)
 AND due_at > $1 AND due_at <= $2 AND claimed = 1`), db.Ms(now), db.Ms(now.Add(lease)))
	if err == nil {
		_, err = tx.Exec(q.sql(`UPDATE {endpoints} SET owner = NULL, owner_until = 0 WHERE owner IS NOT NULL`))
	}
	return err
}
