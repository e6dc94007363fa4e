package login

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// markHeld holds a session that waits and that no one holds. It refuses a message that has done something to another
// session. asked is the time of the request for the number; zero: none.
func markHeld(tx *db.Tx, p *preparedProof, asked time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET held_portfolio = $3, held_id = $4, asked_at = $6, requested_at = $6
		WHERE id = $1 AND `+allows(prove)+` AND expires_at > $2 AND held_id IS NULL AND NOT EXISTS (SELECT 1 FROM login_proofs WHERE message_id = $5)`,
		p.SessionID, db.Ms(p.now), p.sender.portfolio, p.sender.id, p.MessageID, db.NullMs(asked))
	return n == 1, err
}

// selectAsked returns the sessions at a receiver whose held sender was asked for the number, the latest request first.
// Those whose answer can no longer be repeated are omitted.
func selectAsked(q *db.Query, receiver string, from sender, now time.Time) (sessions []string, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var sessionID string
		err := rows.Scan(&sessionID)
		sessions = append(sessions, sessionID)
		return err
	}, `SELECT id FROM login_sessions WHERE held_id = $1 AND held_portfolio = $2 AND receiver = $3 AND asked_at IS NOT NULL AND expires_at > $4 ORDER BY asked_at DESC, id`,
		from.id, from.portfolio, receiver, db.Ms(now.Add(-handBackTime-repeatTime)))
	return sessions, err
}

// lockHeld locks the sessions of a held sender, so that two nodes don't ask the same person at the same time.
func lockHeld(tx *db.Tx, of sender) error {
	_, err := tx.Exec(`UPDATE login_sessions SET asked_at = asked_at WHERE held_id = $1 AND held_portfolio = $2`, of.id, of.portfolio)
	return err
}

// markAsked marks a session that is held as asked, once, unless its sender was asked too recently or too often. Call
// [lockHeld] before.
func markAsked(tx *db.Tx, s *Session, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET asked_at = $2 WHERE id = $1 AND `+allows(prove)+` AND expires_at >= $3 AND held_id IS NOT NULL AND asked_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM login_sessions o WHERE o.held_id = $4 AND o.held_portfolio = $5 AND o.asked_at > $6)
		AND (SELECT count(*) FROM login_sessions o WHERE o.held_id = $4 AND o.held_portfolio = $5 AND o.asked_at > $7) < $8`,
		s.ID, db.Ms(now), db.Ms(now.Add(askTime)), s.held.id, s.held.portfolio, db.Ms(now.Add(-askEvery)), db.Ms(now.Add(-askPeriod)), maxAsked)
	return n == 1, err
}

// markRequested records that WhatsApp accepted the request for a number, or might have.
func markRequested(tx *db.Tx, sessionID string, now time.Time) error {
	_, err := tx.Exec(`UPDATE login_sessions SET requested_at = $2 WHERE id = $1 AND asked_at IS NOT NULL AND requested_at IS NULL`, sessionID, db.Ms(now))
	return err
}

// markReplied marks a proved login as replied to, once.
func markReplied(tx *db.Tx, sessionID string, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET replied_at = $2 WHERE id = $1 AND status IN ('`+string(Verified)+`', '`+string(Consumed)+`') AND verified_at >= $3 AND token_revoked = 0 AND replied_at IS NULL`,
		sessionID, db.Ms(now), db.Ms(now.Add(-replyTime)))
	return n == 1, err
}

// upsertUnreadable stores the time of an unreadable message, unless another one is as recent.
func upsertUnreadable(tx *db.Tx, receiver string, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO login_unreadable (receiver, at) VALUES ($1, $2) ON CONFLICT (receiver) DO UPDATE SET at = excluded.at WHERE login_unreadable.at < $3`,
		receiver, db.Ms(now), db.Ms(now.Add(-unreadableEvery)))
	return err
}

// eachUnreadable calls f for the receivers with an unreadable message since a time.
func eachUnreadable(q *db.Query, since time.Time, f func(receiver string, at int64)) error {
	return q.Each(func(rows *sql.Rows) error {
		var receiver string
		var at int64
		err := rows.Scan(&receiver, &at)
		f(receiver, at)
		return err
	}, `SELECT receiver, at FROM login_unreadable WHERE at >= $1`, db.Ms(since))
}
