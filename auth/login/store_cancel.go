package login

import (
	"database/sql"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
)

// ofSender returns the SQL condition for the sessions that a number has proved, or that are or were held for an ID in a
// portfolio. Each is the placeholder of a value that can be NULL.
func ofSender(number, heldID, portfolio string) string {
	return `(phone = CAST(` + number + ` AS TEXT) OR held_id = CAST(` + heldID + ` AS TEXT) AND held_portfolio = CAST(` + portfolio + ` AS TEXT))`
}

func markCanceled(tx *db.Tx, c *cancellation) error {
	return tx.Each(c.scan(tenant.LoginCanceled), `UPDATE login_sessions SET `+endedBy(cancel, c.why, "$2")+`
		WHERE `+ofSender(`$1`, `$5`, `$6`)+` AND ($3 = '' OR tenant_id = $3 AND mode = $4) AND `+allows(cancel)+` AND `+live+` > $2
		RETURNING id, tenant_id, client_id, mode, told, COALESCE(token_id, '')`, db.Null(string(c.phone)), db.Ms(c.now), c.tenantID, string(c.mode), db.Null(c.from.id), db.Null(c.from.portfolio))
}

func markTokensRevoked(tx *db.Tx, c *cancellation) error {
	return tx.Each(c.scan(tenant.TokenRevoked), `UPDATE login_sessions SET token_revoked = 1
		WHERE `+ofSender(`$1`, `$6`, `$7`)+` AND ($3 = '' OR tenant_id = $3 AND mode = $4) AND status = 'CONSUMED' AND token_revoked = 0
			AND (consumed_at >= $2 OR $5 = 1 AND scope IS NOT NULL)
		RETURNING id, tenant_id, client_id, mode, told, COALESCE(token_id, '')`, db.Null(string(c.phone)), db.Ms(c.now.Add(-tokenTime)), c.tenantID, string(c.mode), db.Flag(c.olderOpenID), db.Null(c.from.id), db.Null(c.from.portfolio))
}

func (c *cancellation) scan(typ string) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		item := canceled{Event: &tenant.Event{}}
		var webhook int64
		err := rows.Scan(&item.LoginID, &item.TenantID, &item.ClientID, &item.Mode, &webhook, &item.tokenID)
		item.hasWebhook = webhook != 0
		c.add(typ, item)
		return err
	}
}

// messageKnown reports whether a message has proved, held, or canceled a login before.
func messageKnown(tx *db.Tx, messageID string) (bool, error) {
	var one int
	return tx.Row(`SELECT 1 FROM login_proofs WHERE message_id = $1`, messageID).Scan(&one)
}

func insertMessage(tx *db.Tx, messageID, sessionID string, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO login_proofs (message_id, session_id, at) VALUES ($1, $2, $3) ON CONFLICT (message_id) DO NOTHING`,
		messageID, sessionID, db.Ms(now))
	return err
}
