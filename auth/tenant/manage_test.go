package tenant_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L146.
func TestInvitation(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		w.Clock.Advance(time.Second)
		other := w.NewTenant(t, "Other")
		key, err := s.CreateInvitation(t.Context(), owner.ID, time.Hour)
		if err != nil || !regexp.MustCompile(`^inv_[A-Za-z0-9_-]{43}$`).MatchString(key) {
			t.Fatalf("%d characters, %v", len(key), err)
		}
		open := func(tenantID, key string, want bool) string {
			t.Helper()
			token, opened, err := s.OpenDashboard(t.Context(), tenantID, key, nil, tenant.Caller{})
			if err != nil || opened != want || (token != "") != want {
				t.Errorf("%v %v, want %v", opened, err, want)
			}
			return token
		}
		open(owner.ID, key, true)
		open(owner.ID, key, true) // until it expires, any number of times
		open(owner.ID, key+"x", false)
		open(other.ID, key, false)
		open("nobody", key, false)
		w.Clock.Advance(time.Hour - time.Millisecond)
		open(owner.ID, key, true)
		w.Clock.Advance(time.Millisecond)
		open(owner.ID, key, false)

		once, err := s.CreateSingleUseInvitation(t.Context(), owner.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		open(other.ID, once, false)
		open(owner.ID, once, true)
		open(owner.ID, once, false)
		if _, err := s.CreateInvitation(t.Context(), "nobody", time.Hour); err == nil {
			t.Error("an invitation of no tenant")
		}
	})
}

// Rules: L146.
func TestRevokeInvitation(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		other := w.NewTenant(t, "Other")
		key, err := s.CreateInvitation(t.Context(), owner.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
		second, err := s.CreateSingleUseInvitation(t.Context(), owner.ID, 2*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		token, _, err := s.OpenDashboard(t.Context(), owner.ID, key, nil, tenant.Caller{})
		if err != nil {
			t.Fatal(err)
		}
		stays, _, err := s.OpenDashboard(t.Context(), owner.ID, second, nil, tenant.Caller{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.ListInvitations(t.Context(), owner.ID)
		at := w.Clock.Now()
		want := []tenant.Invitation{
			{TenantID: owner.ID, CreatedAt: at.Add(-time.Second), ExpiresAt: at.Add(time.Hour - time.Second), UsedAt: at},
			{TenantID: owner.ID, SingleUse: true, CreatedAt: at, ExpiresAt: at.Add(2 * time.Hour), UsedAt: at},
		}
		if err != nil || len(all) != 2 {
			t.Fatalf("%v %v", all, err)
		}
		want[0].ID, want[1].ID = all[0].ID, all[1].ID
		if !slices.Equal(all, want) {
			t.Errorf("%+v, want %+v", all, want)
		}
		if none, err := s.ListInvitations(t.Context(), other.ID); len(none) != 0 || err != nil {
			t.Errorf("another tenant's: %v %v", none, err)
		}
		revoke := func(tenantID, id string, want bool) {
			t.Helper()
			if got, err := s.RevokeInvitation(t.Context(), tenantID, id); got != want || err != nil {
				t.Errorf("%v %v, want %v", got, err, want)
			}
		}
		revoke(other.ID, all[0].ID, false)
		revoke(owner.ID, "none", false)
		if of, err := s.Dashboard(t.Context(), token); err != nil || of == nil || *of != owner {
			t.Errorf("%v %v", of, err)
		}
		revoke(owner.ID, all[0].ID, true)
		revoke(owner.ID, all[0].ID, false)
		if of, err := s.Dashboard(t.Context(), token); of != nil || err != nil {
			t.Errorf("after its key's revocation the session opens %v, %v; want nothing", of, err)
		}
		if of, err := s.Dashboard(t.Context(), stays); of == nil || err != nil {
			t.Errorf("the session of another key opens %v, %v; want %v", of, err, owner)
		}
		if _, opened, err := s.OpenDashboard(t.Context(), owner.ID, key, nil, tenant.Caller{}); opened || err != nil {
			t.Errorf("a revoked key: %v %v", opened, err)
		}
		if all, err = s.ListInvitations(t.Context(), owner.ID); err != nil || all[0].RevokedAt != at || !all[1].RevokedAt.IsZero() {
			t.Errorf("%+v %v", all, err)
		}
	})
}

func TestListInvitations_OldestFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		for _, after := range []time.Duration{0, time.Second, -time.Minute, 0, 0, time.Hour, 0} { // a clock can be set back
			w.Clock.Advance(after)
			if _, err := s.CreateInvitation(t.Context(), owner.ID, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		all, err := s.ListInvitations(t.Context(), owner.ID)
		if err != nil || len(all) != 7 || !slices.IsSortedFunc(all, func(a, b tenant.Invitation) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
			t.Fatalf("%+v, %v, want them in the order of time", all, err)
		}
		for _, i := range all {
			if _, err := s.RevokeInvitation(t.Context(), owner.ID, i.ID); err != nil {
				t.Fatal(err)
			}
			again, err := s.ListInvitations(t.Context(), owner.ID)
			if err != nil || !slices.EqualFunc(again, all, func(a, b tenant.Invitation) bool { return a.ID == b.ID }) {
				t.Errorf("after a change %+v, %v, want the order of %+v", again, err, all)
			}
		}
	})
}

// Rules: L148.
func TestCloseDashboard_Once(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		key, err := s.CreateInvitation(t.Context(), owner.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		token, _, err := s.OpenDashboard(t.Context(), owner.ID, key, nil, tenant.Caller{})
		if err != nil {
			t.Fatal(err)
		}
		var closed atomic.Int64
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if ok, err := s.CloseDashboard(t.Context(), token, tenant.Caller{}); err != nil {
					t.Error(err)
				} else if ok {
					closed.Add(1)
				}
			})
		}
		all.Wait()
		events, err := s.ListEvents(t.Context(), owner.ID, 10)
		if closed.Load() != 1 || err != nil || len(events) != 2 {
			t.Errorf("closed %d times, %v %v", closed.Load(), events, err)
		}
	})
}

func TestLists(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		w.Clock.Advance(time.Second)
		other := w.NewTenant(t, "Other")
		if all, err := s.ListTenants(t.Context()); err != nil || !slices.Equal(all, []tenant.Tenant{owner, other}) {
			t.Errorf("%v %v", all, err)
		}
		var made []tenant.Client
		for i := range 5 {
			w.Clock.Advance(time.Second)
			client, _, err := s.CreateClient(t.Context(), owner.ID, tenant.Confidential, tenant.Live, []string{fmt.Sprint("https://app.example/", i)})
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, client)
		}
		clients, err := s.ListClients(t.Context(), owner.ID)
		if err != nil || fmt.Sprintf("%+v", clients) != fmt.Sprintf("%+v", made) {
			t.Errorf("%+v %v", clients, err)
		}
		if none, err := s.ListClients(t.Context(), other.ID); len(none) != 0 || err != nil {
			t.Errorf("another tenant's: %v %v", none, err)
		}
		if none, err := s.ListEvents(t.Context(), other.ID, 10); len(none) != 0 || err != nil {
			t.Errorf("another tenant's: %v %v", none, err)
		}
		page, err := s.ListEvents(t.Context(), owner.ID, 2)
		for i := 4; err == nil && i >= 0; i -= 2 {
			if want := min(2, i+1); len(page) != want {
				t.Fatalf("a page of %d, want %d", len(page), want)
			}
			for k, e := range page {
				of := made[i-k]
				want := tenant.StoredEvent{
					ID: e.ID, LastID: e.ID, Type: tenant.ClientCreated, At: of.CreatedAt, Actor: tenant.ActorSystem, ClientID: of.ClientID, Mode: tenant.Live, Result: "ok", Count: 1,
				}
				if e != want {
					t.Errorf("%+v, want %+v", e, want)
				}
			}
			page, err = s.ListEventsBefore(t.Context(), owner.ID, page[len(page)-1].LastID, 2)
		}
		if err != nil || len(page) != 0 {
			t.Errorf("after the last page: %v %v", page, err)
		}
	})
}

func TestChangeClient_AndRotate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		made := w.NewClient(t, tenant.Public, tenant.Test)
		if _, _, err := s.RotateSecret(t.Context(), owner.ID, made.ID); !errors.Is(err, tenant.ErrPublic) {
			t.Errorf("%v", err)
		}
		if _, found, err := s.RotateSecret(t.Context(), w.NewTenant(t, "Other").ID, made.ID); found || err != nil {
			t.Errorf("%v %v", found, err)
		}
		if _, err := s.ChangeClient(t.Context(), owner.ID, made.ID, nil, true); !errors.Is(err, tenant.ErrRedirects) {
			t.Errorf("%v", err)
		}
		if c, err := s.ChangeClient(t.Context(), owner.ID, made.ClientID, made.RedirectURIs, true); c != nil || err != nil {
			t.Errorf("by its public identifier: %v %v", c, err)
		}
	})
}

// Readers that were running while a client changed must not restore the old row.
func TestChangeClient_ShowsAtOnceAmongReaders(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		made := w.NewClient(t, tenant.Public, tenant.Test)
		var stop atomic.Bool
		var readers sync.WaitGroup
		defer readers.Wait()
		defer stop.Store(true)
		for range 2 {
			readers.Go(func() {
				for !stop.Load() {
					if _, err := s.Client(t.Context(), made.ClientID); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for i := range 60 {
			active := i%2 == 1
			if _, err := s.ChangeClient(t.Context(), owner.ID, made.ID, made.RedirectURIs, active); err != nil {
				t.Fatal(err)
			}
			if c, err := s.Client(t.Context(), made.ClientID); err != nil || c == nil || c.Active != active {
				t.Fatalf("change %d: got %+v, %v, want active %v", i, c, err, active)
			}
		}
	})
}
