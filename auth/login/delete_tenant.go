package login

import (
	"context"
	"database/sql"
	"time"

	"griot/auth/tenant"
	"griot/internal/db"
)

const (
	deleteBatch = 200             // rows of a kind that one transaction deletes: others wait for it on SQLite
	deleteFor   = 3 * time.Second // how long one call of DeleteTenant works
)

// DeleteTenant deletes a tenant with all that it has: at once its clients start no login and finish none, and nobody enters
// its dashboard; then its rows are deleted in short transactions, its own the last. done is false when there is more than a
// few seconds' work: whoever calls again goes on where this was. found is false when there is no such tenant, or no longer.
func (s *Service) DeleteTenant(ctx context.Context, by tenant.Author, tenants *tenant.Store, tenantID string) (done, found bool, err error) {
	if _, found, err = tenants.Tenant(ctx, tenantID); err != nil || !found {
		return false, false, err
	}
	now := db.Ms(s.now())
	if err := s.db.Write(ctx, func(tx *db.Tx) error { return tenant.Stop(tx, tenantID, now) }); err != nil {
		return false, true, err
	}
	tenants.ClearCache()
	end := time.NewTimer(deleteFor)
	defer end.Stop()
	for position, more := "", true; more; {
		position, more, err = s.deleteSomeOf(ctx, tenantID, position)
		if err != nil {
			return false, true, err
		}
		select {
		case <-ctx.Done():
			return false, true, ctx.Err()
		case <-end.C:
			return false, true, nil
		case <-time.After(sweepPause):
		}
	}
	deleted := by.TenantEvent(tenantID, tenant.TenantDeleted, s.now())
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		done, err = tenant.Delete(tx, tenantID)
		if err != nil || !done {
			return err
		}
		return tenant.Record(tx, deleted)
	})
	return done && err == nil, true, err
}

// deleteSomeOf deletes rows of a tenant in one transaction: those of the next logins after a position, and of each other kind.
func (s *Service) deleteSomeOf(ctx context.Context, tenantID, after string) (position string, more bool, err error) {
	sessions, last, err := s.sessionsAfter(ctx, tenantID, after)
	if err != nil {
		return "", false, err
	}
	var ended []string
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		ended, more = nil, last != ""
		for _, session := range sessions {
			if err := deleteSessionProofs(tx, session.id, session.verifiedAt); err != nil {
				return err
			}
			if _, err := tx.Exec(`DELETE FROM login_sessions WHERE id = $1`, session.id); err != nil {
				return err
			}
			ended = append(ended, session.id)
		}
		others, err := deleteRowsOf(tx, tenantID, deleteBatch)
		if err != nil {
			return err
		}
		rest, err := tenant.DeleteSome(tx, tenantID, deleteBatch)
		more = more || others || rest
		return err
	})
	s.changedAll(ended)
	if last == "" {
		last = after
	}
	return last, more, err
}

// sessionsAfter returns a tenant's logins among the next ones of all tenants; last is empty after the end. Logins live for a
// day, so that it is cheaper to go through them than to have an index of tenants.
func (s *Service) sessionsAfter(ctx context.Context, tenantID, after string) (out []erasedSession, last string, err error) {
	read := 0
	err = s.db.Read(ctx).Page(deleteBatch, func(rows *sql.Rows) error {
		var e erasedSession
		var owner string
		var verified sql.NullInt64
		err := rows.Scan(&e.id, &owner, &verified)
		e.verifiedAt = db.AtNull(verified)
		if read, last = read+1, e.id; owner == tenantID {
			out = append(out, e)
		}
		return err
	}, `SELECT id, tenant_id, verified_at FROM login_sessions WHERE id > $1 ORDER BY id`, after)
	if read < deleteBatch {
		last = ""
	}
	return out, last, err
}

// deleteRowsOf deletes some of a tenant's people and of the events for its endpoint.
func deleteRowsOf(tx *db.Tx, tenantID string, n int) (more bool, err error) {
	for _, t := range []struct{ table, key string }{
		{"profiles", "id"}, {"tenant_hook_attempts", "tenant_id, event_id, attempt"}, {"tenant_hook_events", "tenant_id, id"}, {"tenant_hook_endpoints", "tenant_id"},
	} {
		deleted, err := tx.Exec(`DELETE FROM `+t.table+` WHERE (`+t.key+`) IN (SELECT `+t.key+` FROM `+t.table+` WHERE tenant_id = $1 LIMIT $2)`, tenantID, n)
		if err != nil {
			return false, err
		}
		more = more || deleted == int64(n)
	}
	return more, nil
}
