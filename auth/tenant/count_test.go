package tenant_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// start is the event of a login that begins now.
func start(w *authtest.World, tenantID, clientID string, ip string) *tenant.Event {
	now := w.Clock.Now()
	e := &tenant.Event{
		ID: id.New(now), TenantID: tenantID, Type: tenant.LoginStarted, At: now, Actor: tenant.ActorUser, ClientID: clientID, LoginID: id.New(now), Mode: tenant.Live,
		Caller: tenant.Caller{RequestID: id.New(now)},
	}
	if ip != "" {
		e.Caller.IP = netip.MustParseAddr(ip)
	}
	return e
}

func TestCount_NodesShareTheRowOfAMinute(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		other := w.NewTenant(t, "Another")
		nodes := []*tenant.Store{w.Tenants, tenant.New(d, w.Clock.Now)}
		began := w.Clock.Now()
		first := start(w, w.Tenant.ID, "cl_a", "192.0.2.1")
		nodes[0].Count(first)
		store := func() {
			t.Helper()
			for _, node := range nodes {
				if err := node.StoreCounts(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := func(rows ...string) {
			t.Helper()
			events, err := nodes[1].ListEvents(t.Context(), w.Tenant.ID, 10)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range events {
				got = append(got, fmt.Sprint(e.ClientID, " ", e.Count, " ", e.IP, " ", e.LoginID != "", e.RequestID != "", " ", e.At.Sub(began)))
			}
			if fmt.Sprint(got) != fmt.Sprint(rows) {
				t.Errorf("got %q, want %q", got, rows)
			}
		}
		store()
		want("cl_a 1 192.0.2.0/24 true true 0s")
		w.Clock.Advance(time.Second)
		for _, node := range nodes {
			node.Count(start(w, w.Tenant.ID, "cl_a", "192.0.2.77"))
		}
		store()
		want("cl_a 3 192.0.2.0/24 false false 0s")
		nodes[1].Count(start(w, w.Tenant.ID, "cl_a", "198.51.100.1"))
		nodes[1].Count(start(w, w.Tenant.ID, "cl_b", ""))
		nodes[1].Count(start(w, other.ID, "cl_a", ""))
		store()
		want("cl_b 1  true true 1s", "cl_a 4  false false 0s")
		w.Clock.Advance(time.Minute)
		nodes[0].Count(start(w, w.Tenant.ID, "cl_a", ""))
		nodes[0].Count(start(w, "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "cl_a", "")) // a tenant that was deleted
		store()
		want("cl_a 1  true true 1m1s", "cl_b 1  true true 1s", "cl_a 4  false false 0s")
		stats, err := nodes[0].Stats(t.Context(), w.Tenant.ID, tenant.Live)
		if err != nil || stats.Total.Started != 6 || !stats.Complete {
			t.Errorf("statistics %+v, %v; want 6 starts", stats, err)
		}
		if n := w.Count(t, `SELECT count(*) FROM audit_events WHERE tenant_id = '01J9ZK3V8Q5W6X7Y8Z9A0B1C2D'`); n != 0 {
			t.Errorf("%d events of no tenant", n)
		}
	})
}

// What could not be stored is stored later, once.
func TestCount_SurvivesAFailedWrite(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		for range 3 {
			w.Tenants.Count(start(w, w.Tenant.ID, "cl_a", ""))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.Tenants.StoreCounts(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("without a database: %v, want %v", err, context.Canceled)
		}
		w.Tenants.Count(start(w, w.Tenant.ID, "cl_a", ""))
		for range 2 {
			events, err := w.Tenants.ListEvents(t.Context(), w.Tenant.ID, 10)
			if err != nil || len(events) != 1 || events[0].Count != 4 {
				t.Errorf("%+v, %v; want one row of 4", events, err)
			}
		}
	})
}

// A login's start is its own, although the row counts others; it stays when the login's row was deleted.
func TestSearchEvents_ALoginsStartIsDerived(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		began := w.Clock.Now()
		e := start(w, w.Tenant.ID, "cl_a", "")
		w.Tenants.Count(e)
		w.Tenants.Count(start(w, w.Tenant.ID, "cl_a", ""))
		w.Clock.Advance(time.Second)
		verified := &tenant.Event{ID: id.New(w.Clock.Now()), TenantID: w.Tenant.ID, Type: tenant.LoginVerified, At: w.Clock.Now(), Actor: tenant.ActorUser, ClientID: "cl_a", LoginID: e.LoginID, Mode: tenant.Live}
		w.Write(t, func(tx *db.Tx) error { return tenant.Record(tx, verified) })
		cursor := ""
		for _, want := range []string{tenant.LoginVerified, tenant.LoginStarted} {
			page, next, err := w.Tenants.SearchEvents(t.Context(), w.Tenant.ID, tenant.EventFilter{LoginID: e.LoginID, Before: cursor, Limit: 1})
			if err != nil || len(page) != 1 || page[0].Type != want || page[0].ClientID != "cl_a" || page[0].Mode != tenant.Live || page[0].Count != 1 || (next == "") != (want == tenant.LoginStarted) {
				t.Fatalf("%+v, next %q, %v; want %s", page, next, err, want)
			}
			if want == tenant.LoginStarted && !page[0].At.Equal(began) {
				t.Errorf("the start is of %s, want %s", page[0].At, began)
			}
			cursor = next
		}
		other := w.NewTenant(t, "Another")
		if page, _, err := w.Tenants.SearchEvents(t.Context(), other.ID, tenant.EventFilter{LoginID: e.LoginID, Limit: 10}); err != nil || len(page) != 0 {
			t.Errorf("another tenant sees %+v, %v", page, err)
		}
	})
}
