package tenant_test

import (
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestSwitchClient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		made := w.NewClient(t, tenant.Confidential, tenant.Live)
		for _, active := range []bool{false, false, true} {
			w.Clock.Advance(time.Millisecond)
			got, found, err := s.SwitchClient(t.Context(), made.ClientID, active)
			if err != nil || !found || got.Active != active {
				t.Fatalf("%+v %v %v", got, found, err)
			}
			if c, err := s.Client(t.Context(), made.ClientID); err != nil || c.Active != active || len(c.RedirectURIs) != 2 || c.Type != tenant.Confidential {
				t.Errorf("%+v %v, want active %v at once", c, err, active)
			}
		}
		if c, found, err := s.SwitchClient(t.Context(), "cl_live_none", true); c != nil || found || err != nil {
			t.Errorf("%+v %v %v", c, found, err)
		}
		events, err := s.ListEvents(t.Context(), owner.ID, 10)
		if err != nil || len(events) != 4 || events[0].Type != tenant.ClientUpdated || events[0].Actor != tenant.ActorSystem || events[0].ClientID != made.ClientID {
			t.Errorf("%+v %v", events, err)
		}
	})
}

func TestInvitationOwner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		if _, err := s.CreateInvitation(t.Context(), owner.ID, tenant.InvitationTime); err != nil {
			t.Fatal(err)
		}
		list, err := s.ListInvitations(t.Context(), owner.ID)
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v %v", list, err)
		}
		if got, found, err := s.InvitationOwner(t.Context(), list[0].ID); got != owner.ID || !found || err != nil {
			t.Errorf("%q %v %v", got, found, err)
		}
		if _, found, err := s.InvitationOwner(t.Context(), "none"); found || err != nil {
			t.Errorf("%v %v", found, err)
		}
	})
}
