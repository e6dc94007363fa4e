package login

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
)

const (
	deleteBatch = 200             // rows of a kind that one transaction deletes; other transactions wait for it on SQLite
	deleteFor   = 3 * time.Second // work time of one call of DeleteTenant
)

// TenantDeletion is the progress of the deletion of a tenant.
type TenantDeletion struct {
	Found    bool   // the tenant existed when the call started
	Done     bool   // all of its data is deleted
	Position string // start position of the next call
}

// DeleteTenant deletes a tenant with all its data. From the first step, its clients can't start or finish logins, and
// no one can enter its dashboard. Then it deletes the rows in short transactions, the tenant's own row last. If there
// is more than a few seconds' work, the caller must call again with the returned position. Without a position, for
// example after an interruption, it starts again with the first login.
func (s *Service) DeleteTenant(ctx context.Context, tenants *tenant.Store, tenantID, position string) (TenantDeletion, error) {
	end := time.NewTimer(deleteFor)
	defer end.Stop()
	return s.deleteTenant(ctx, tenants, tenantID, position, end.C)
}

func (s *Service) deleteTenant(ctx context.Context, tenants *tenant.Store, tenantID, position string, end <-chan time.Time) (d TenantDeletion, err error) {
	d.Position = position
	if _, d.Found, err = tenants.Tenant(ctx, tenantID); err != nil || !d.Found {
		return d, err
	}
	now := db.Ms(s.now())
	if err := s.db.Write(ctx, func(tx *db.Tx) error { return tenant.Stop(tx, tenantID, now) }); err != nil {
		return d, err
	}
	tenants.ClearCache()
	for {
		var more bool
		if d.Position, more, err = s.deleteSomeOf(ctx, tenantID, d.Position); err != nil {
			return d, err
		}
		if !more {
			break
		}
		select {
		case <-ctx.Done():
			return d, ctx.Err()
		case <-end:
			return d, nil
		case <-time.After(sweepPause):
		}
	}
	if purged, err := s.db.PurgeWithin(ctx, purgeWait); err != nil || !purged {
		return d, err
	}
	deleted, done := tenant.NewEvent(ctx, tenantID, tenant.TenantDeleted, s.now()), false
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		if done, err = tenant.Delete(tx, tenantID); err != nil || !done {
			return err
		}
		return tenant.Record(tx, deleted)
	})
	d.Done = done && err == nil
	if d.Done {
		_, err = s.db.Purge(ctx) // of the tenant's own row
	}
	return d, err
}

// deleteSomeOf deletes rows of a tenant in one transaction: those of the next logins after a position, and some of each
// other kind.
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

// sessionsAfter returns a tenant's logins among the next logins of all tenants; last is empty after the end. Logins are
// stored for one day, so scanning them is cheaper than an index by tenant.
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
		{"profiles", "id"}, {"tenant_hook_attempts", "tenant_id, event_id, version"}, {"tenant_hook_events", "tenant_id, id"}, {"tenant_hook_endpoints", "tenant_id"},
	} {
		deleted, err := tx.Exec(`DELETE FROM `+t.table+` WHERE (`+t.key+`) IN (SELECT `+t.key+` FROM `+t.table+` WHERE tenant_id = $1 LIMIT CAST($2 AS BIGINT))`, tenantID, n)
		if err != nil {
			return false, err
		}
		more = more || deleted == int64(n)
	}
	return more, nil
}
