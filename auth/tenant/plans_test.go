package tenant_test

import (
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// No list reads a large table from end to end, or sorts what it found in one.
func TestPlans_OfEveryList(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		for i, tenantID := range []string{owner.ID, "another", "a third"} {
			w.Exec(t, `INSERT INTO audit_events (id, last_id, tenant_id, type, at, actor, result)
 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
 SELECT id, id, CAST($1 AS TEXT), 'login.started', i, 'person', 'ok' FROM (SELECT i, '0000000000000000' || CAST($2 * CAST(100000000 AS BIGINT) + 1000000000 + i AS TEXT) AS id FROM n) AS numbered`, tenantID, i)
		}
		plans := dbtest.RecordPlans(d)
		for _, limit := range []int{1, 50, 200} {
			if _, err := s.ListEvents(t.Context(), owner.ID, limit); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.SearchEvents(t.Context(), owner.ID, tenant.EventFilter{WithoutCounted: true, Limit: limit}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.ListClients(t.Context(), owner.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ListInvitations(t.Context(), owner.ID); err != nil {
			t.Fatal(err)
		}
		if texts := plans.Check(t); len(texts) != 7 {
			t.Errorf("%d texts were judged, want 7", len(texts))
		}
	})
}
