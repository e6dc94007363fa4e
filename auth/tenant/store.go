package tenant

import (
	"cmp"
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
)

// insertTenant stores a tenant, with an event if event is not nil.
func (s *Store) insertTenant(ctx context.Context, t Tenant, event *Event) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO tenants (id, name, created_at) VALUES ($1, $2, $3)`, t.ID, t.Name, db.Ms(t.CreatedAt))
		if err != nil || event == nil {
			return err
		}
		return Record(tx, event)
	})
}

func (s *Store) selectTenant(ctx context.Context, tenantID string) (t Tenant, found bool, err error) {
	t.ID = tenantID
	found, err = s.db.Read(ctx).Row(`SELECT name, accent, logo, created_at FROM tenants WHERE id = $1`, tenantID).Scan(&t.Name, &t.Accent, &t.Logo, db.Time(&t.CreatedAt))
	return t, found, err
}

// lockAppearance returns the look of a tenant's page, and makes other writers of its row wait until the transaction
// ends.
func lockAppearance(tx *db.Tx, tenantID string) (a Appearance, found bool, err error) {
	found, err = tx.Row(`UPDATE tenants SET name = name WHERE id = $1 RETURNING name, accent, logo`, tenantID).Scan(&a.Name, &a.Accent, &a.Logo)
	return a, found, err
}

func updateAppearance(tx *db.Tx, tenantID string, a Appearance) error {
	_, err := tx.Exec(`UPDATE tenants SET name = $2, accent = $3, logo = $4 WHERE id = $1`, tenantID, a.Name, a.Accent, a.Logo)
	return err
}

// Record stores an event, redacted, in the transaction of the change that it describes.
func Record(tx *db.Tx, e *Event) error {
	number := ""
	if e.Phone != "" {
		number = e.Phone.Masked()
	}
	profile, args := "NULL", []any{
		e.ID, e.TenantID, e.Type, db.Ms(e.At), e.Actor, db.Null(e.ClientID), db.Null(e.LoginID), db.Null(string(e.Mode)), e.result(),
		db.Null(e.ErrorCode), db.Null(number), db.Null(httpx.Network(e.Caller.IP)), db.Null(e.Caller.RequestID), db.Null(e.NumberSource),
	}
	if person := cmp.Or(e.Person, e.Phone); person != "" {
		profile, args = "(SELECT id FROM profiles WHERE tenant_id = $2 AND phone = $15 AND mode = $8)", append(args, string(person))
	}
	_, err := tx.Exec(`INSERT INTO audit_events (id, last_id, tenant_id, type, at, actor, client_id, login_id, mode, result, error_code, phone, ip, request_id, source, profile_id)
		VALUES ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, `+profile+`)`, args...)
	return err
}

// upsertCount stores counted events, or adds them to the row of their minute, which another node might have stored. The
// row keeps its id, and lists show it at the position of its latest event. A column is NULL if the events don't share
// its value.
func upsertCount(tx *db.Tx, e *counted, minute int64) error {
	_, err := tx.Exec(`INSERT INTO audit_events (id, tenant_id, type, at, actor, client_id, login_id, mode, result, error_code, ip, request_id, minute, count, last_id, first_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		ON CONFLICT (tenant_id, type, COALESCE(client_id, ''), COALESCE(mode, ''), minute) WHERE minute IS NOT NULL
		DO UPDATE SET count = audit_events.count + excluded.count, login_id = NULL, request_id = NULL, ip = CASE WHEN audit_events.ip = excluded.ip THEN excluded.ip END,
			last_id = CASE WHEN audit_events.last_id > excluded.last_id THEN audit_events.last_id ELSE excluded.last_id END,
			at = CASE WHEN audit_events.at > excluded.at THEN audit_events.at ELSE excluded.at END,
			first_at = CASE WHEN audit_events.first_at < excluded.first_at THEN audit_events.first_at ELSE excluded.first_at END`,
		e.ID, e.TenantID, e.Type, db.Ms(e.lastAt), e.Actor, db.Null(e.ClientID), db.Null(e.LoginID), db.Null(string(e.Mode)), e.result(),
		db.Null(e.ErrorCode), db.Null(httpx.Network(e.Caller.IP)), db.Null(e.Caller.RequestID), minute, e.n, e.lastID, db.Ms(e.At))
	return err
}

// ChangedLogins returns the logins that have an event other than their start since a time.
func ChangedLogins(q *db.Query, since time.Time) ([]string, error) {
	return db.Select(q, func(scan db.Scan, loginID *string) error { return scan(loginID) },
		`SELECT login_id FROM audit_events WHERE id >= $1 AND type <> $2 AND login_id IS NOT NULL`, id.First(since), LoginStarted)
}
