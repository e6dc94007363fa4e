package login_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// No list of people reads a large table from end to end, or sorts what it found in one.
func TestPlans_OfPeople(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		profile := s.complete(t, awa).Profile.ID
		for i, tenantID := range []string{s.Tenant.ID, s.NewTenant(t, "Another").ID} {
			s.Exec(t, `INSERT INTO profiles (id, tenant_id, phone, mode, metadata, first_seen_at, last_seen_at)
 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
 SELECT '0000000000000000' || CAST($2 * CAST(100000000 AS BIGINT) + 1000000000 + i AS TEXT), CAST($1 AS TEXT), CAST(22370000000 + i AS TEXT), 'LIVE', '{}', i, i FROM n`, tenantID, i)
			s.Exec(t, `INSERT INTO audit_events (id, last_id, tenant_id, type, at, actor, result, profile_id)
 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
 SELECT id, id, CAST($1 AS TEXT), 'login.verified', i, 'user', 'ok', 'p' || CAST(i AS TEXT) FROM (SELECT i, '0000000000000000' || CAST($2 * CAST(100000000 AS BIGINT) + 1000000000 + i AS TEXT) AS id FROM n) AS numbered`, tenantID, i)
		}
		plans := dbtest.RecordPlans(d)
		for _, before := range []string{"", id.New(s.Clock.Now())} {
			if _, _, err := s.ListPeople(t.Context(), s.Tenant.ID, before, 50); err != nil {
				t.Fatal(err)
			}
		}
		if found, err := s.FindPeople(t.Context(), s.Tenant.ID, awa); err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		if events, err := s.PersonEvents(t.Context(), s.Tenant.ID, profile, 50); err != nil || len(events) != 2 {
			t.Fatal(events, err)
		}
		s.changes(t, awa, newAwa, s.Clock.Now())
		if found, err := s.FindByNewNumber(t.Context(), s.Tenant.ID, newAwa); err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		if texts := plans.Check(t); len(texts) != 6 {
			t.Errorf("%d texts were checked, want 6: %q", len(texts), texts)
		}
	})
}
