package tenant

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

func readTenant(scan db.Scan, t *Tenant) error {
	return scan(&t.ID, &t.Name, &t.Accent, &t.Logo, db.Time(&t.CreatedAt))
}

const eventColumns = `id, last_id, type, at, actor, client_id, login_id, mode, result, error_code, phone, ip, request_id, count, first_at, source`

func (s *Store) selectEvents(ctx context.Context, tenantID, before string, limit int) ([]StoredEvent, error) {
	return s.events(ctx, limit, `SELECT `+eventColumns+` FROM audit_events WHERE tenant_id = $1 AND last_id < $2 ORDER BY last_id DESC`, tenantID, before)
}

func (s *Store) events(ctx context.Context, limit int, query string, args ...any) ([]StoredEvent, error) {
	return readEvents(s.db.Read(ctx), limit, query, args...)
}

func readEvents(q *db.Query, limit int, query string, args ...any) (out []StoredEvent, err error) {
	err = q.Page(limit, func(rows *sql.Rows) error {
		var e StoredEvent
		err := rows.Scan(&e.ID, &e.LastID, &e.Type, db.Time(&e.At), &e.Actor, db.OrZero(&e.ClientID), db.OrZero(&e.LoginID), db.OrZero(&e.Mode), &e.Result,
			db.OrZero(&e.ErrorCode), db.OrZero(&e.Phone), db.OrZero(&e.IP), db.OrZero(&e.RequestID), &e.Count, db.Time(&e.FirstAt), db.OrZero(&e.NumberSource))
		if e.Count == 1 {
			e.FirstAt = time.Time{}
		}
		out = append(out, e)
		return err
	}, query, args...)
	return out, err
}

// selectMatching reads one of three indexes: that of the tenant's events, that of the events of a type, or
// audit_events_latest. The types are written out for the last one.
func (s *Store) selectMatching(ctx context.Context, tenantID string, f EventFilter, from, before string, limit int) ([]StoredEvent, error) {
	text, args := `SELECT `+eventColumns+` FROM audit_events WHERE tenant_id = $1 AND last_id >= $2 AND last_id < $3`, []any{tenantID, from, before}
	switch {
	case f.Type != "":
		args = append(args, f.Type)
		text += fmt.Sprintf(` AND type = $%d`, len(args))
	case f.WithoutCounted:
		text += ` AND type NOT IN ('login.started', 'dashboard.login_failed')`
	}
	if f.LoginID != "" {
		args = append(args, f.LoginID, LoginStarted) // the start event is derived
		text += fmt.Sprintf(` AND login_id = $%d AND type <> $%d`, len(args)-1, len(args))
	}
	return s.events(ctx, limit, text+` ORDER BY last_id DESC`, args...)
}

// selectStart derives a login's start from its row, or from its other events if the row was deleted; nil if the login
// doesn't exist. began is the start time according to the login's id.
func (s *Store) selectStart(ctx context.Context, tenantID, loginID string, began time.Time) (*StoredEvent, error) {
	e := &StoredEvent{ID: loginID, LastID: loginID, Type: LoginStarted, At: began, Actor: ActorUser, LoginID: loginID, Result: resultOK, Count: 1}
	found, err := s.db.Read(ctx).Row(`SELECT client_id, mode FROM login_sessions WHERE id = $1 AND tenant_id = $2`, loginID, tenantID).Scan(&e.ClientID, &e.Mode)
	if err != nil || found {
		return e, err
	}
	others, err := s.events(ctx, 1, `SELECT `+eventColumns+` FROM audit_events WHERE tenant_id = $1 AND last_id >= $2 AND last_id < $3 AND login_id = $4 ORDER BY last_id`,
		tenantID, id.First(began), id.First(began.Add(loginEvents)), loginID)
	if err != nil || len(others) == 0 {
		return nil, err
	}
	e.ClientID, e.Mode = others[0].ClientID, others[0].Mode
	return e, nil
}
