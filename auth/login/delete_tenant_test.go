package login_test

import (
	"context"
	"testing"

	"example.com/griot/auth/login"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// All data of a tenant is deleted, in every table of the schema with rows of tenants. The data of others stays. An
// interrupted deletion continues.
func TestDeleteTenant(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		s.complete(t, awa)
		open, token := s.prove(t, seydou)
		other := s.NewTenant(t, "Another")
		for i, tenantID := range []string{s.Tenant.ID, other.ID} {
			invitation, err := s.Tenants.OfferInvitation(t.Context(), tenantID, 1e12, false)
			if err != nil || invitation == "" {
				t.Fatal(err)
			}
			s.Exec(t, `INSERT INTO profiles (id, tenant_id, phone, mode, metadata, first_seen_at, last_seen_at)
 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
 SELECT 'p' || CAST($2 * CAST(1000 AS BIGINT) + i AS TEXT), CAST($1 AS TEXT), CAST(22370000000 + i AS TEXT), 'LIVE', '{}', i, i FROM n`, tenantID, i)
			s.Exec(t, `INSERT INTO dashboard_sessions (id, tenant_id, invitation_id, token_hash, created_at, expires_at) SELECT 's' || id, tenant_id, id, 'h' || id, 0, 9999999999999 FROM invitations WHERE tenant_id = $1`, tenantID)
			s.Exec(t, `INSERT INTO tenant_hook_attempts (tenant_id, event_id, version, at, latency, answer) VALUES ($1, 'e', 1, 0, 0, '')`, tenantID)
			s.Exec(t, `INSERT INTO tenant_logos (tenant_id, content) VALUES ($1, '')`, tenantID)
			if _, _, err := s.Tenants.AddDomain(t.Context(), tenantID, "people.example.com"); err != nil {
				t.Fatal(err)
			}
			s.Exec(t, `INSERT INTO tenant_hook_endpoints (tenant_id, owner_until, changed_at, pause) VALUES ($1, 0, 0, 0)`, tenantID)
		}
		tables := dbtest.TablesWith(t, d, "tenant_id", 10)
		rows := func(tenantID string) map[string]int {
			n := map[string]int{}
			for _, name := range tables {
				n[name] = s.Count(t, `SELECT count(*) FROM `+name+` WHERE tenant_id = $1`, tenantID)
			}
			return n
		}
		for name, n := range rows(s.Tenant.ID) {
			if n == 0 {
				t.Errorf("the tenant has no row in %s", name)
			}
		}
		before := rows(other.ID)
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if got, err := s.DeleteTenant(stopped, s.Tenants, s.Tenant.ID, ""); got.Done || err == nil {
			t.Errorf("an interrupted deletion is done: %+v, %v", got, err)
		}
		got, err := s.DeleteTenant(t.Context(), s.Tenants, s.Tenant.ID, "")
		if !got.Done || !got.Found || err != nil {
			t.Fatalf("got %+v, %v; want that it is done", got, err)
		}
		for name, n := range rows(s.Tenant.ID) {
			if want := map[string]int{"audit_events": 1}[name]; n != want {
				t.Errorf("%d rows are left in %s, want %d; see DeleteTenant", n, name, want)
			}
		}
		if n := s.Count(t, `SELECT count(*) FROM audit_events WHERE tenant_id = $1 AND type = 'tenant.deleted'`, s.Tenant.ID); n != 1 {
			t.Error("nothing says that the tenant was deleted")
		}
		for name, n := range rows(other.ID) {
			if n != before[name] {
				t.Errorf("of another tenant %d rows are left in %s, want %d", n, name, before[name])
			}
		}
		if session, err := s.Owned(t.Context(), open, []string{token}); err == nil && session != nil {
			t.Errorf("a login of the deleted tenant goes on: %+v", session)
		}
		if got, err := s.DeleteTenant(t.Context(), s.Tenants, s.Tenant.ID, ""); got.Found || err != nil {
			t.Errorf("a tenant that is gone was found: %+v, %v", got, err)
		}
	})
}

// A deletion ends even if others have many logins: a call without enough time for all of them is continued by the next.
func TestDeleteTenant_EndsBesideManyLoginsOfOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		s.complete(t, awa)
		other := s.NewTenant(t, "Another")
		s.Exec(t, `INSERT INTO login_sessions (id, tenant_id, tenant_name, client_id, mode, cookie_hash, redirect_uri, state, code_challenge, receiver, words, words_key, status, created_at, expires_at, live_until, wrong_tries, token_revoked)
 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
 SELECT '0' || CAST(1000 + i AS TEXT), CAST($1 AS TEXT), 'Another', 'cl', 'LIVE', '', '', '', '', '', '', '', 'PENDING', 0, 0, 0, 0, 0 FROM n`, other.ID)
		var at login.TenantDeletion
		for calls := 0; !at.Done; calls++ {
			var err error
			if at, err = s.DeleteSomeOfTenant(t.Context(), s.Tenants, s.Tenant.ID, at.Position); err != nil || calls == 20 {
				t.Fatalf("after %d calls: %+v, %v", calls, at, err)
			}
		}
	})
}
