package connections

import (
	"database/sql"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
)

// A sender is a sender with the stored state of its connection.
type sender struct {
	account.Sender
	stored       gateway.ConnState // empty: none yet
	reason       string
	reasonStored bool // false if an older release without reasons has stored it
}

// allSenders returns every sender with its stored state.
func allSenders(q *db.Query) (out []*sender, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		s := &sender{}
		var owner, state, reason sql.NullString
		var channel string
		err := rows.Scan(&s.ID, &owner, &channel, &s.Address, &s.Gateway, &state, &reason)
		s.AccountID, s.Channel, s.stored = owner.String, gateway.Channel(channel), gateway.ConnState(state.String)
		s.reason, s.reasonStored = reason.String, reason.Valid
		out = append(out, s)
		return err
	}, `SELECT s.id, s.account_id, s.channel, s.address, s.gateway, t.state, t.reason FROM senders s LEFT JOIN sender_states t ON t.sender_id = s.id`)
	return out, err
}

// acquireLease gives an owner the lease until a time. It returns false while another owner has it.
func acquireLease(tx *db.Tx, owner string, now, until time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE sender_watch SET owner = $1, owner_until = $2 WHERE id = 1 AND (owner = $1 OR owner_until <= $3)`, owner, db.Ms(until), db.Ms(now))
	return n == 1, err
}

// storeState replaces a sender's stored state and its reason. If the state is unchanged, its start time is unchanged,
// too. It returns false if the stored state has changed in the meantime, or the owner has lost the lease.
func storeState(tx *db.Tx, owner string, s *sender, to observed) (bool, error) {
	if s.stored == "" {
		n, err := tx.Exec(`INSERT INTO sender_states (sender_id, state, since, reason) SELECT id, CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($5 AS TEXT) FROM senders
 WHERE id = $1 AND EXISTS (SELECT 1 FROM sender_watch WHERE owner = $4) ON CONFLICT (sender_id) DO NOTHING`, s.ID, string(to.State), db.Ms(to.since), owner, to.Reason)
		return n == 1, err
	}
	n, err := tx.Exec(`UPDATE sender_states SET state = $1, since = CASE WHEN state = $1 THEN since ELSE $2 END, reason = $6
 WHERE sender_id = $3 AND state = $4 AND COALESCE(reason, '') = $7 AND EXISTS (SELECT 1 FROM sender_watch WHERE owner = $5)`,
		string(to.State), db.Ms(to.since), s.ID, string(s.stored), owner, to.Reason, s.reason)
	return n == 1, err
}

// deleteOrphans deletes the states of deleted senders.
func deleteOrphans(tx *db.Tx) error {
	for _, table := range []string{"sender_states", "sender_state_changes"} {
		if _, err := tx.Exec(`DELETE FROM ` + table + ` WHERE NOT EXISTS (SELECT 1 FROM senders s WHERE s.id = sender_id)`); err != nil {
			return err
		}
	}
	return nil
}

// A Connection is the stored state of a sender's connection.
type Connection struct {
	State gateway.ConnState
	Since time.Time
}

// Connections returns the stored connections of an account's senders and of the platform's, by sender id.
func Connections(q *db.Query, accountID string) (map[string]Connection, error) {
	out := map[string]Connection{}
	err := q.Each(func(rows *sql.Rows) error {
		var sender, state string
		var at int64
		err := rows.Scan(&sender, &state, &at)
		out[sender] = Connection{gateway.ConnState(state), db.At(at)}
		return err
	}, `SELECT t.sender_id, t.state, t.since FROM senders s JOIN sender_states t ON t.sender_id = s.id WHERE s.account_id = $1 OR s.account_id IS NULL`, accountID)
	return out, err
}

// A Group is the number of senders of a gateway and channel whose connections have the same state.
type Group struct {
	Gateway, Channel string
	State            gateway.ConnState
	Senders          int64
}

const maxGroups = 500

// Groups counts the senders by the stored states of their connections.
func Groups(q *db.Query) (out []Group, err error) {
	err = q.Page(maxGroups, func(rows *sql.Rows) error {
		var g Group
		err := rows.Scan(&g.Gateway, &g.Channel, &g.State, &g.Senders)
		out = append(out, g)
		return err
	}, `SELECT s.gateway, s.channel, t.state, count(*) FROM sender_states t JOIN senders s ON s.id = t.sender_id GROUP BY s.gateway, s.channel, t.state ORDER BY s.gateway, s.channel, t.state`)
	return out, err
}
