package tenant_test

import (
	"context"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

func TestSearchEvents(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		other := w.NewTenant(t, "Another")
		for i := range 5 {
			login(t, w, w.Tenant.ID, tenant.Live, w.Clock.Now().Add(time.Duration(i)*time.Minute), 5, tenant.LoginStarted, tenant.LoginVerified)
		}
		login(t, w, other.ID, tenant.Live, w.Clock.Now(), 5, tenant.LoginStarted, tenant.LoginVerified)
		all := func(f tenant.EventFilter) (found []tenant.StoredEvent) {
			for range 20 {
				page, next, err := w.Tenants.SearchEvents(context.Background(), w.Tenant.ID, f)
				if err != nil || len(page) > f.Limit {
					t.Fatalf("%d events, %v", len(page), err)
				}
				if found = append(found, page...); next == "" {
					return found
				}
				f.Before = next
			}
			t.Fatal("the pages do not end")
			return nil
		}
		whole := all(tenant.EventFilter{Limit: 3})
		if len(whole) != 10 {
			t.Fatalf("got %d events, want 10", len(whole))
		}
		for i, e := range whole[1:] {
			if e.ID >= whole[i].ID {
				t.Errorf("event %d is not older than the one before it", i+1)
			}
		}
		if got := all(tenant.EventFilter{Type: tenant.LoginVerified, Limit: 2}); len(got) != 5 || got[0].Type != tenant.LoginVerified {
			t.Errorf("got %d of a type, want 5", len(got))
		}
		if got := all(tenant.EventFilter{LoginID: whole[0].LoginID, Limit: 1}); len(got) != 2 || got[0].LoginID != whole[0].LoginID {
			t.Errorf("got %d of a login, want 2", len(got))
		}
		if got := all(tenant.EventFilter{LoginID: id.New(w.Clock.Now()), Limit: 2}); len(got) != 0 {
			t.Errorf("got %d of a login that is not there, want none", len(got))
		}
	})
}
