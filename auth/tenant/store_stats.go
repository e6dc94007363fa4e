package tenant

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// selectDays counts the latest events of a type by mode, client, and day. It reads at most MaxCounted rows
// and one more.
func (s *Store) selectDays(ctx context.Context, tenantID, typ, from string, add func(mode Mode, clientID string, day time.Time, n, rows int)) error {
	return s.db.Read(ctx).Page(MaxCounted+1, func(rows *sql.Rows) error {
		var mode Mode
		var client string
		var day int64
		var n, counted int
		if err := rows.Scan(db.OrZero(&mode), db.OrZero(&client), &day, &n, &counted); err != nil {
			return err
		}
		add(mode, client, db.At(day*dayMs), n, counted)
		return nil
	}, `SELECT mode, client_id, day, CAST(sum(count) AS BIGINT), count(*) FROM (SELECT mode, client_id, at / 86400000 AS day, count FROM audit_events WHERE tenant_id = $1 AND type = $2 AND last_id >= $3 ORDER BY last_id DESC LIMIT 20001) AS latest
		GROUP BY mode, client_id, day ORDER BY day`, tenantID, typ, from)
}

const dayMs = 86_400_000

// selectRedeemed reads the latest redeemed logins.
func (s *Store) selectRedeemed(ctx context.Context, tenantID, from string, limit int, add func(mode Mode, loginID string, at time.Time)) error {
	return s.db.Read(ctx).Page(limit, func(rows *sql.Rows) error {
		var mode Mode
		var login string
		var at time.Time
		if err := rows.Scan(db.OrZero(&mode), db.OrZero(&login), db.Time(&at)); err != nil {
			return err
		}
		add(mode, login, at)
		return nil
	}, `SELECT mode, login_id, at FROM audit_events WHERE tenant_id = $1 AND type = $2 AND last_id >= $3 ORDER BY last_id DESC`, tenantID, TokenIssued, from)
}
