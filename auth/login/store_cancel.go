package login

import (
	"database/sql"
	"time"

	"griot/auth/tenant"
	"griot/internal/db"
)

func markCanceled(tx *db.Tx, c *cancellation) error {
	return tx.Each(c.scan(tenant.LoginCanceled), `UPDATE login_sessions SET `+ends(cancel, ByPerson, "$2")+`
		WHERE phone = $1 AND `+allows(cancel)+` AND `+live+` > $2
		RETURNING id, tenant_id, client_id, mode, told, COALESCE(token_id, '')`, string(c.phone), db.Ms(c.now))
}

func markTokensRevoked(tx *db.Tx, c *cancellation) error {
	return tx.Each(c.scan(tenant.TokenRevoked), `UPDATE login_sessions SET token_revoked = 1
		WHERE phone = $1 AND status = 'CONSUMED' AND token_revoked = 0 AND consumed_at >= $2
		RETURNING id, tenant_id, client_id, mode, told, COALESCE(token_id, '')`, string(c.phone), db.Ms(c.now.Add(-tokenTime)))
}

func (c *cancellation) scan(typ string) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		u := undone{Event: &tenant.Event{}}
		var told int64
		err := rows.Scan(&u.LoginID, &u.TenantID, &u.ClientID, &u.Mode, &told, &u.tokenID)
		u.told = told != 0
		c.undo(typ, u)
		return err
	}
}

// seenMessage reports whether a message did something before.
func seenMessage(tx *db.Tx, messageID string) (bool, error) {
	var one int
	return tx.Row(`SELECT 1 FROM login_proofs WHERE message_id = $1`, messageID).Scan(&one)
}

func insertMessage(tx *db.Tx, messageID, sessionID string, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO login_proofs (message_id, session_id, at) VALUES ($1, $2, $3) ON CONFLICT (message_id) DO NOTHING`,
		messageID, sessionID, db.Ms(now))
	return err
}
