package tenant_test

import (
	"testing"

	"griot/internal/db"
	"griot/internal/db/dbtest"
)

// No list reads a large table from end to end, or sorts what it found in one.
func TestPlans_OfEveryList(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, _, owner := newStore(t, d)
		for _, tenantID := range []string{owner.ID, "ten_another", "ten_a_third"} {
			err := d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(`INSERT INTO audit_events (id, tenant_id, type, at, actor, result)
 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
 SELECT substr(CAST($1 AS TEXT), 1, 16) || '0' || CAST(100000000 + i AS TEXT), CAST($1 AS TEXT), 'login.started', i, 'person', 'ok' FROM n`, tenantID+"................")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		plans := dbtest.Watch(d)
		for _, limit := range []int{1, 50, 200} {
			if _, err := s.ListEvents(t.Context(), owner.ID, limit); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.ListClients(t.Context(), owner.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ListInvitations(t.Context(), owner.ID); err != nil {
			t.Fatal(err)
		}
		if texts := plans.Judge(t); len(texts) != 5 {
			t.Errorf("%d texts were judged, want 5", len(texts))
		}
	})
}
