package account

import (
	"database/sql"
	"time"

	"griot/internal/db"
)

// mayHaveCode reports whether an address is anybody's here, and whether it has had enough codes.
func mayHaveCode(q *db.Query, email string, now time.Time) (known, full bool, err error) {
	var n int64
	_, err = q.Row(`SELECT (SELECT count(*) FROM accounts WHERE email = $1) + (SELECT count(*) FROM members WHERE email = $1 AND removed_at IS NULL)
 + (SELECT count(*) FROM member_invitations WHERE email = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $2)`, email, db.Ms(now)).Scan(&n)
	if err != nil || n == 0 {
		return false, false, err
	}
	var issued int64
	_, err = q.Row(`SELECT issued FROM sign_in_codes WHERE email = $1 AND window_at > $2`, email, db.Ms(now.Add(-codeWindow))).Scan(&issued)
	return true, issued >= codeIssues, err
}

// storeCode puts a code in the place of the address's last one, unless it has had enough of them.
func storeCode(tx *db.Tx, c *Code) (bool, error) {
	// What is over goes when something new comes, a little at a time: the table stays as small as it is used.
	if _, err := tx.Exec(`DELETE FROM sign_in_codes WHERE email IN
 (SELECT email FROM sign_in_codes WHERE expires_at <= $1 ORDER BY expires_at LIMIT 10 /*lock*/)`, db.Ms(c.now.Add(-24*time.Hour))); err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO sign_in_codes (email, id, mac, tries, expires_at, window_at, issued) VALUES ($1, $2, $3, 0, $4, $5, 1)
 ON CONFLICT (email) DO UPDATE SET id = excluded.id, mac = excluded.mac, tries = 0, expires_at = excluded.expires_at,
 window_at = CASE WHEN sign_in_codes.window_at <= $6 THEN excluded.window_at ELSE sign_in_codes.window_at END,
 issued = CASE WHEN sign_in_codes.window_at <= $6 THEN 1 ELSE sign_in_codes.issued + 1 END
 WHERE sign_in_codes.window_at <= $6 OR sign_in_codes.issued < $7`,
		c.email, c.id, c.mac, db.Ms(c.now.Add(CodeTime)), db.Ms(c.now), db.Ms(c.now.Add(-codeWindow)), codeIssues)
	return n == 1, err
}

// tryCode counts a try, if there is one left, and returns what the code must match.
func tryCode(tx *db.Tx, email string, now time.Time) (codeID, mac string, found bool, err error) {
	found, err = tx.Row(`UPDATE sign_in_codes SET tries = tries + 1 WHERE email = $1 AND expires_at > $2 AND tries < $3 AND mac <> '' RETURNING id, mac`,
		email, db.Ms(now), codeTries).Scan(&codeID, &mac)
	return codeID, mac, found, err
}

func spendCode(tx *db.Tx, email string) error {
	_, err := tx.Exec(`UPDATE sign_in_codes SET mac = '' WHERE email = $1`, email)
	return err
}

func insertSession(tx *db.Tx, s *Session, hash string, now time.Time) error {
	if _, err := tx.Exec(`DELETE FROM account_sessions WHERE id IN
 (SELECT id FROM account_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT 10 /*lock*/)`, db.Ms(now)); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO account_sessions (id, email, account_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.ID, s.Email, db.Null(s.accountID), hash, db.Ms(now), db.Ms(s.ExpiresAt))
	return err
}

func findSession(q *db.Query, hash string, now time.Time) (*Session, error) {
	s := &Session{}
	var account sql.NullString
	var expires int64
	found, err := q.Row(`SELECT id, email, account_id, expires_at FROM account_sessions WHERE token_hash = $1 AND expires_at > $2`, hash, db.Ms(now)).
		Scan(&s.ID, &s.Email, &account, &expires)
	if err != nil || !found {
		return nil, err
	}
	s.accountID, s.ExpiresAt = account.String, db.At(expires)
	return s, nil
}

func findMember(q *db.Query, accountID, email string) (id string, err error) {
	_, err = q.Row(`SELECT id FROM members WHERE account_id = $1 AND email = $2 AND removed_at IS NULL`, accountID, email).Scan(&id)
	return id, err
}

func selectBelongings(q *db.Query, email string) ([]Belonging, error) {
	var out []Belonging
	err := q.Each(func(rows *sql.Rows) error {
		var b Belonging
		var owner int64
		err := rows.Scan(&b.AccountID, &b.Name, &owner)
		b.Owner = owner != 0
		out = append(out, b)
		return err
	}, `SELECT id, name, owner FROM (
 SELECT id, name, 1 AS owner, created_at AS since FROM accounts WHERE email = $1
 UNION ALL SELECT a.id, a.name, 0, m.joined_at FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.email = $1 AND m.removed_at IS NULL AND a.email <> $1
 ) b ORDER BY owner DESC, since DESC, id`, email)
	return out, err
}

func lookAt(tx *db.Tx, sessionID, accountID string) error {
	_, err := tx.Exec(`UPDATE account_sessions SET account_id = $2 WHERE id = $1`, sessionID, accountID)
	return err
}

func endSession(tx *db.Tx, sessionID string) error {
	_, err := tx.Exec(`DELETE FROM account_sessions WHERE id = $1`, sessionID)
	return err
}

func endSessionsOf(tx *db.Tx, email, accountID string) error {
	_, err := tx.Exec(`DELETE FROM account_sessions WHERE email = $1 AND account_id = $2`, email, accountID)
	return err
}
