package tenant_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// start returns the event of a login that starts now.
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

// Rules: L155, L171.
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
				row := fmt.Sprint(e.ClientID, " ", e.Count, " ", e.IP, " ", e.LoginID != "", e.RequestID != "", " ", e.At.Sub(began))
				if !e.FirstAt.IsZero() {
					row += fmt.Sprint(" since ", e.FirstAt.Sub(began))
				}
				got = append(got, row)
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
		want("cl_a 3 192.0.2.0/24 false false 1s since 0s")
		nodes[1].Count(start(w, w.Tenant.ID, "cl_b", ""))
		w.Clock.Advance(time.Second)
		nodes[1].Count(start(w, w.Tenant.ID, "cl_a", "198.51.100.1"))
		nodes[1].Count(start(w, other.ID, "cl_a", ""))
		store()
		want("cl_a 4  false false 2s since 0s", "cl_b 1  true true 1s")
		w.Clock.Advance(time.Minute)
		nodes[0].Count(start(w, w.Tenant.ID, "cl_a", ""))
		nodes[0].Count(start(w, "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "cl_a", "")) // a deleted tenant
		store()
		want("cl_a 1  true true 1m2s", "cl_a 4  false false 2s since 0s", "cl_b 1  true true 1s")
		stats, err := nodes[0].Stats(t.Context(), w.Tenant.ID, tenant.Live)
		if err != nil || stats.Total.Started != 6 || !stats.Complete {
			t.Errorf("statistics %+v, %v; want 6 starts", stats, err)
		}
		if n := w.Count(t, `SELECT count(*) FROM audit_events WHERE tenant_id = '01J9ZK3V8Q5W6X7Y8Z9A0B1C2D'`); n != 0 {
			t.Errorf("%d events of no tenant", n)
		}
	})
}

// Nodes that store the same row at the same time, with any order of events, lose none and agree on its times.
// Rules: L155.
func TestCount_NodesAddAtTheSameTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		minute := w.Clock.Now().Truncate(time.Minute)
		const nodes, rounds = 6, 9
		var all sync.WaitGroup
		for n := range nodes {
			node := tenant.New(d, w.Clock.Now)
			all.Go(func() {
				for i := range rounds {
					for _, second := range []int{(i*nodes + n) % 58, 57 - (i*nodes+n)%58} {
						at := minute.Add(time.Duration(second+1) * time.Second)
						e := start(w, w.Tenant.ID, "cl_a", "")
						e.ID, e.At = id.New(at), at
						node.Count(e)
					}
					if err := node.StoreCounts(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		events, err := w.Tenants.ListEvents(t.Context(), w.Tenant.ID, 10)
		if err != nil || len(events) != 1 || events[0].Count != 2*nodes*rounds {
			t.Fatalf("%+v, %v; want one event of %d", events, err, 2*nodes*rounds)
		}
		e := events[0]
		if first, last := e.FirstAt.Sub(minute), e.At.Sub(minute); first != time.Second || last != 58*time.Second {
			t.Errorf("the first is of second %s and the last of %s, want 1s and 58s", first, last)
		}
		if at, ok := id.Time(e.LastID); !ok || !at.Equal(e.At) {
			t.Errorf("its place is at %s, want %s", at, e.At)
		}
	})
}

// If the count of a row increases while someone pages, the row keeps its id, moves to the front, and moves no other. A
// reader sees it at most once, and each other row once.
// Rules: L155, L156, L171.
func TestSearchEvents_AnEventThatCountsOnMovesToTheFront(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		count := func(client string) {
			w.Clock.Advance(time.Second)
			w.Tenants.Count(start(w, w.Tenant.ID, client, ""))
		}
		for _, client := range []string{"a", "b", "c", "d", "e", "f"} {
			count(client)
			w.Clock.Advance(time.Second)
			change := &tenant.Event{ID: id.New(w.Clock.Now()), TenantID: w.Tenant.ID, Type: tenant.ClientUpdated, At: w.Clock.Now(), Actor: tenant.ActorTenant, ClientID: client + "'"}
			w.Write(t, func(tx *db.Tx) error { return tenant.Record(tx, change) })
		}
		ids := map[string]string{}
		read := func(f tenant.EventFilter, then ...func()) (clients []string) {
			t.Helper()
			for {
				page, next, err := w.Tenants.SearchEvents(t.Context(), w.Tenant.ID, f)
				if err != nil {
					t.Fatal(err)
				}
				for i, e := range page {
					if i > 0 && e.At.After(page[i-1].At) {
						t.Errorf("%s of %s is below %s of %s", e.ClientID, e.At, page[i-1].ClientID, page[i-1].At)
					}
					if before, ok := ids[e.ClientID]; ok && before != e.ID {
						t.Errorf("the id of %s is %s, and was %s", e.ClientID, e.ID, before)
					}
					ids[e.ClientID] = e.ID
					clients = append(clients, e.ClientID)
				}
				if next == "" {
					return clients
				}
				if f.Before = next; len(then) > 0 {
					then[0]()
					then = then[1:]
				}
			}
		}
		want := func(got []string, want string) {
			t.Helper()
			if fmt.Sprint(got) != "["+want+"]" {
				t.Errorf("got %v, want %s", got, want)
			}
		}
		all := tenant.EventFilter{Limit: 3}
		want(read(all), "f' f e' e d' d c' c b' b a' a")
		// Two that are on later pages, and one from an earlier page.
		want(read(all, func() { count("e"); count("f") }, func() { count("b") }), "f' f e' d' d c' c b' a' a")
		want(read(all), "b f e f' e' d' d c' c b' a' a")
		starts := tenant.EventFilter{Limit: 2, Type: tenant.LoginStarted}
		// The last one of a page, one from a later page, and one from an earlier page.
		want(read(starts, func() { count("f"); count("a") }, func() { count("e") }), "b f e d c")
		want(read(starts), "e a f b d c")
		want(read(tenant.EventFilter{Limit: 4, WithoutCounted: true}, func() { count("c") }), "f' e' d' c' b' a'")
	})
}

// Counts that could not be stored are stored later, once.
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

// A login's start is derived although its row counts several; it stays after the login's row was deleted.
// Rules: L171.
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
