package login

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// PersonLogin is a login that a person has proved. It is stored for one day.
type PersonLogin struct {
	ID         string
	ClientID   string
	Status     string
	CreatedAt  time.Time
	VerifiedAt time.Time
}

// PersonLogins returns the latest logins of a person that are still stored.
func (s *Service) PersonLogins(ctx context.Context, tenantID string, p *Person, limit int) (out []PersonLogin, err error) {
	err = s.db.Read(ctx).Page(limit, func(rows *sql.Rows) error {
		var l PersonLogin
		var created int64
		var verified sql.NullInt64
		err := rows.Scan(&l.ID, &l.ClientID, &l.Status, &created, &verified)
		l.CreatedAt, l.VerifiedAt = db.At(created), db.AtNull(verified)
		out = append(out, l)
		return err
	}, `SELECT id, client_id, status, created_at, verified_at FROM login_sessions WHERE phone = $1 AND tenant_id = $2 AND mode = $3`, string(p.Phone), tenantID, string(p.Mode))
	return out, err
}
