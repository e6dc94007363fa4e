package tenant

import (
	"context"
	"database/sql"
	"fmt"

	"example.com/griot/internal/db"
)

func (s *Store) selectTenants(ctx context.Context) (out []Tenant, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var t Tenant
		var created int64
		if err := rows.Scan(&t.ID, &t.Name, &t.Accent, &created); err != nil {
			return err
		}
		t.CreatedAt = db.At(created)
		out = append(out, t)
		return nil
	}, `SELECT id, name, accent, created_at FROM tenants ORDER BY id`)
	return out, err
}

const eventColumns = `id, type, at, actor, client_id, login_id, mode, result, error_code, phone, ip, request_id`

func (s *Store) selectEvents(ctx context.Context, tenantID, before string, limit int) ([]StoredEvent, error) {
	return s.events(ctx, limit, `SELECT `+eventColumns+` FROM audit_events WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC`, tenantID, before)
}

// selectOtherEvents leaves out the starts of logins. The type is written out for the partial index audit_events_latest.
func (s *Store) selectOtherEvents(ctx context.Context, tenantID string, limit int) ([]StoredEvent, error) {
	return s.events(ctx, limit, `SELECT `+eventColumns+` FROM audit_events WHERE tenant_id = $1 AND type <> 'login.started' ORDER BY id DESC`, tenantID)
}

func (s *Store) events(ctx context.Context, limit int, query string, args ...any) ([]StoredEvent, error) {
	return readEvents(s.db.Read(ctx), limit, query, args...)
}

func readEvents(q *db.Query, limit int, query string, args ...any) (out []StoredEvent, err error) {
	err = q.Page(limit, func(rows *sql.Rows) error {
		var e StoredEvent
		var at int64
		var client, login, mode, code, number, ip, request sql.NullString
		if err := rows.Scan(&e.ID, &e.Type, &at, &e.Actor, &client, &login, &mode, &e.Result, &code, &number, &ip, &request); err != nil {
			return err
		}
		e.At, e.ClientID, e.LoginID, e.Mode = db.At(at), client.String, login.String, Mode(mode.String)
		e.ErrorCode, e.Phone, e.IP, e.RequestID = code.String, number.String, ip.String, request.String
		out = append(out, e)
		return nil
	}, query, args...)
	return out, err
}

// selectMatching reads along the index of the tenant's events, or of those of a type.
func (s *Store) selectMatching(ctx context.Context, tenantID, typ, loginID, from, before string, limit int) ([]StoredEvent, error) {
	text, args := `SELECT `+eventColumns+` FROM audit_events WHERE tenant_id = $1 AND id >= $2 AND id < $3`, []any{tenantID, from, before}
	if typ != "" {
		args = append(args, typ)
		text += fmt.Sprintf(` AND type = $%d`, len(args))
	}
	if loginID != "" {
		args = append(args, loginID)
		text += fmt.Sprintf(` AND login_id = $%d`, len(args))
	}
	return s.events(ctx, limit, text+` ORDER BY id DESC`, args...)
}
