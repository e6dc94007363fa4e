package pairing

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
)

// The states of a row.
const (
	stateStarting = "starting" // the gateway is being called
	stateOpen     = "open"
	statePaired   = "paired"
	stateFailed   = "failed"
)

// A row is a pairing that was started.
type row struct {
	id, senderID, accountID string
	gateway                 string
	channel                 gateway.Channel
	address                 string
	method                  gateway.PairingMethod
	startedBy               string
	connected               bool // the number was connected before
	state, reason           string
	startedAt, endedAt      time.Time
	tries                   int
	dueAt                   time.Time // zero: nothing to do
}

// sender returns the sender, with the fields that are in the row.
func (r *row) sender() account.Sender {
	return account.Sender{ID: r.senderID, AccountID: r.accountID, Channel: r.channel, Address: r.address, Gateway: r.gateway}
}

// progress returns the result of an ended pairing.
func (r *row) progress() gateway.PairingProgress {
	if r.state == statePaired {
		return gateway.PairingProgress{State: gateway.PairingDone}
	}
	return gateway.PairingProgress{State: gateway.PairingFailed, Reason: r.reason}
}

const columns = `id, sender_id, account_id, gateway, channel, address, method, started_by, connected, state, reason, started_at, ended_at, tries, due_at`

func read(scan db.Scan, r *row) error {
	return scan(&r.id, &r.senderID, &r.accountID, &r.gateway, &r.channel, &r.address, &r.method, &r.startedBy, &r.connected, &r.state, &r.reason,
		db.Time(&r.startedAt), db.Time(&r.endedAt), &r.tries, db.Time(&r.dueAt))
}

// latest returns a sender's pairing in progress, or otherwise its latest, or nil if there is none.
func latest(q *db.Query, senderID string) (*row, error) {
	return db.First(q, read, `SELECT `+columns+` FROM sender_pairings WHERE sender_id = $1 ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, id DESC LIMIT 1`, senderID)
}

// insertRow stores a row, unless a pairing of the sender is in progress.
func insertRow(tx *db.Tx, r *row) (bool, error) {
	n, err := tx.Exec(`INSERT INTO sender_pairings (`+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', $11, NULL, 0, $12) ON CONFLICT DO NOTHING`,
		r.id, r.senderID, r.accountID, r.gateway, string(r.channel), r.address, string(r.method), r.startedBy, db.Flag(r.connected), r.state, db.Ms(r.startedAt), db.Ms(r.dueAt))
	return n == 1, err
}

// openRow records that the gateway has started a pairing, and the time of its next check.
func openRow(tx *db.Tx, id string, due time.Time) error {
	_, err := tx.Exec(`UPDATE sender_pairings SET state = 'open', due_at = $1 WHERE id = $2 AND state = 'starting'`, db.Ms(due), id)
	return err
}

// endRow ends a pairing, unless it has ended. mail is the time for mailing the owner; zero: no mail.
func endRow(tx *db.Tx, id, state, reason string, at, mail time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE sender_pairings SET state = $1, reason = $2, ended_at = $3, due_at = $4 WHERE id = $5 AND ended_at IS NULL`, state, reason, db.Ms(at), db.NullMs(mail), id)
	return n == 1, err
}

// linkedBefore reports whether another pairing of the sender has succeeded.
func linkedBefore(tx *db.Tx, senderID, id string) (bool, error) {
	found := 0
	return tx.Row(`SELECT 1 FROM sender_pairings WHERE sender_id = $1 AND id <> $2 AND state = '`+statePaired+`' LIMIT 1`, senderID, id).Scan(&found)
}

// dueRows returns rows whose check is due.
func dueRows(q *db.Query, now time.Time, n int) ([]row, error) {
	return db.Select(q, read, `SELECT `+columns+` FROM sender_pairings WHERE due_at <= $1 ORDER BY due_at LIMIT CAST($2 AS BIGINT)`, db.Ms(now), n)
}

// postpone sets the time of a row's next check, unless another node has checked it since it was read.
func postpone(tx *db.Tx, r *row, due time.Time, tries int) (bool, error) {
	n, err := tx.Exec(`UPDATE sender_pairings SET due_at = $1, tries = $2 WHERE id = $3 AND due_at = $4 AND state = $5`, db.NullMs(due), tries, r.id, db.Ms(r.dueAt), r.state)
	return n == 1, err
}

// mailed records the message that was mailed to the owner, unless one is already recorded.
func mailed(tx *db.Tx, id, messageID string) (bool, error) {
	n, err := tx.Exec(`UPDATE sender_pairings SET mail_id = $1, due_at = NULL WHERE id = $2 AND mail_id IS NULL`, messageID, id)
	return n == 1, err
}

// deleteEnded deletes pairings that ended before a time.
func deleteEnded(tx *db.Tx, before time.Time) error {
	_, err := tx.Exec(`DELETE FROM sender_pairings WHERE ended_at < $1`, db.Ms(before))
	return err
}
