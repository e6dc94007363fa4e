package account

import (
	"time"

	"example.com/griot/internal/db"
)

func insertSession(tx *db.Tx, s *Session, hash string, now time.Time) error {
	if _, err := tx.Exec(`WITH locked AS (SELECT id FROM account_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT 10 /*lock*/)
 DELETE FROM account_sessions WHERE id IN (SELECT id FROM locked)`, db.Ms(now)); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO account_sessions (id, email, account_id, token_hash, created_at, expires_at, code_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.ID, s.Email, db.Null(s.accountID), hash, db.Ms(now), db.Ms(s.ExpiresAt), db.NullMs(s.CodeAt))
	return err
}

func findSession(q *db.Query, hash string, now time.Time) (*Session, error) {
	return db.First(q, func(scan db.Scan, s *Session) error {
		return scan(&s.ID, &s.Email, db.OrZero(&s.accountID), db.Time(&s.ExpiresAt), db.Time(&s.CodeAt))
	}, `SELECT id, email, account_id, expires_at, code_at FROM account_sessions WHERE token_hash = $1 AND expires_at > $2`, hash, db.Ms(now))
}

func findMember(q *db.Query, accountID, email string) (id string, role Role, err error) {
	_, err = q.Row(`SELECT id, role FROM members WHERE account_id = $1 AND email = $2 AND removed_at IS NULL`, accountID, email).Scan(&id, db.OrZero(&role))
	return id, role, err
}

func selectAffiliations(q *db.Query, email string) ([]Affiliation, error) {
	return db.Select(q, func(scan db.Scan, b *Affiliation) error { return scan(&b.AccountID, &b.Name, &b.MemberID, &b.Role) }, `SELECT id, name, member_id, role FROM (
 SELECT id, name, '' AS member_id, 'owner' AS role, created_at AS since FROM accounts WHERE email = $1 AND closed_at IS NULL
 UNION ALL SELECT a.id, a.name, m.id, m.role, m.joined_at FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.email = $1 AND m.removed_at IS NULL AND a.email <> $1 AND a.closed_at IS NULL
 ) b ORDER BY CASE WHEN member_id = '' THEN 0 ELSE 1 END, since DESC, id`, email)
}

func updateSessionAccount(tx *db.Tx, sessionID, accountID string) error {
	_, err := tx.Exec(`UPDATE account_sessions SET account_id = $2 WHERE id = $1`, sessionID, accountID)
	return err
}

// endSessionOf ends the session with a token's hash if it belongs to an address, and returns its current account.
func endSessionOf(tx *db.Tx, hash, email string) (accountID string, err error) {
	_, err = tx.Row(`DELETE FROM account_sessions WHERE token_hash = $1 AND email = $2 RETURNING COALESCE(account_id, '')`, hash, email).Scan(&accountID)
	return accountID, err
}

func endSession(tx *db.Tx, sessionID string) (ended bool, err error) {
	n, err := tx.Exec(`DELETE FROM account_sessions WHERE id = $1`, sessionID)
	return n == 1, err
}

func endSessionsOf(tx *db.Tx, email, accountID string) error {
	_, err := tx.Exec(`DELETE FROM account_sessions WHERE email = $1 AND account_id = $2`, email, accountID)
	return err
}
