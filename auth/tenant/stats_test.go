package tenant_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// login stores the events of a login that started at a time, with the given steps and the number of seconds to the last
// one.
func login(t *testing.T, w *authtest.World, tenantID string, mode tenant.Mode, began time.Time, seconds int, steps ...string) {
	t.Helper()
	loginID := id.New(began)
	w.Write(t, func(tx *db.Tx) error {
		for i, typ := range steps {
			at := began
			if i == len(steps)-1 {
				at = began.Add(time.Duration(seconds) * time.Second)
			}
			if err := tenant.Record(tx, &tenant.Event{ID: id.New(at), TenantID: tenantID, Type: typ, At: at, Actor: tenant.ActorUser, ClientID: "cl", LoginID: loginID, Mode: mode}); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestStats(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		other := w.NewTenant(t, "Another")
		now := w.Clock.Now()
		ago := func(days int) time.Time { return now.AddDate(0, 0, -days) }
		login(t, w, w.Tenant.ID, tenant.Live, now, 10, tenant.LoginStarted, tenant.LoginActivated, tenant.LoginVerified, tenant.TokenIssued)
		login(t, w, w.Tenant.ID, tenant.Live, ago(1), 30, tenant.LoginStarted, tenant.LoginVerified, tenant.TokenIssued)
		login(t, w, w.Tenant.ID, tenant.Live, ago(29), 20, tenant.LoginStarted, tenant.LoginVerified, tenant.TokenIssued)
		login(t, w, w.Tenant.ID, tenant.Live, ago(29), 0, tenant.LoginStarted)
		login(t, w, w.Tenant.ID, tenant.Live, ago(30), 50, tenant.LoginStarted, tenant.LoginVerified, tenant.TokenIssued) // too old
		login(t, w, w.Tenant.ID, tenant.Test, now, 99, tenant.LoginStarted, tenant.TokenIssued)
		login(t, w, other.ID, tenant.Live, now, 99, tenant.LoginStarted, tenant.TokenIssued)
		var plans []string
		d.OnQuery(func(text string, _ []any, _ bool) { plans = append(plans, text) })
		got, err := w.Tenants.Stats(context.Background(), w.Tenant.ID, tenant.Live)
		if err != nil {
			t.Fatal(err)
		}
		if want := (tenant.Steps{Started: 4, Opened: 1, Verified: 3, Redeemed: 3}); got.Total != want {
			t.Errorf("total %+v, want %+v", got.Total, want)
		}
		if len(got.Clients) != 1 || got.Clients["cl"] != got.Total {
			t.Errorf("clients %+v, want the total at one", got.Clients)
		}
		if want := (tenant.Steps{Started: 1, Opened: 1, Verified: 1, Redeemed: 1}); got.Today() != want {
			t.Errorf("today %+v, want %+v", got.Today(), want)
		}
		if want := (tenant.Steps{Started: 2, Verified: 1, Redeemed: 1}); len(got.Days) != 30 || got.Days[0] != want || got.Days[29] != got.Today() {
			t.Errorf("%d days, the first %+v, want 30 with %+v first and today last", len(got.Days), got.Days[0], want)
		}
		if got.Median != 20*time.Second || !got.Complete || !got.First.Equal(now.Truncate(24*time.Hour).AddDate(0, 0, -29)) {
			t.Errorf("median %s, complete %v, from %s, want 20s, true, 29 days before today", got.Median, got.Complete, got.First)
		}
		for _, text := range plans {
			if !strings.Contains(text, "LIMIT") {
				t.Errorf("not bounded: %s", text)
			}
		}
		if len(plans) != 5 {
			t.Errorf("%d queries, want 5", len(plans))
		}
	})
}

// The index serves the count, so its cost doesn't grow with the tenant's other events.
func TestStats_ReadsByItsIndex(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		types := []string{tenant.LoginStarted, tenant.LoginActivated, tenant.LoginVerified, tenant.TokenIssued, tenant.ClientCreated}
		for first := 0; first < 3000; first += 300 { // a transaction has a limit of 10 seconds on PostgreSQL
			w.Write(t, func(tx *db.Tx) error {
				for i := first; i < first+300; i++ {
					e := &tenant.Event{ID: id.New(w.Clock.Now()), TenantID: w.Tenant.ID, Type: types[i/10%5], At: w.Clock.Now(), Actor: tenant.ActorUser, Mode: tenant.Live}
					if i%10 > 0 {
						e.TenantID = fmt.Sprint("another ", i%10)
					}
					if err := tenant.Record(tx, e); err != nil {
						return err
					}
				}
				return nil
			})
		}
		type query struct {
			text string
			args []any
		}
		var queries []query
		d.OnQuery(func(text string, args []any, _ bool) { queries = append(queries, query{text, args}) })
		if _, err := w.Tenants.Stats(context.Background(), w.Tenant.ID, tenant.Live); err != nil {
			t.Fatal(err)
		}
		for _, q := range queries {
			if plan := explained(t, w, q.text, q.args); !strings.Contains(plan, "audit_events_type") {
				t.Errorf("%s\nis planned as\n%s", q.text, plan)
			}
		}
	})
}

// explained returns the database's plan for a query, after it has statistics about its tables.
func explained(t *testing.T, w *authtest.World, text string, args []any) (plan string) {
	t.Helper()
	w.Exec(t, "ANALYZE")
	w.Write(t, func(tx *db.Tx) error {
		plan = ""
		explain, before := "EXPLAIN QUERY PLAN ", 3
		if w.DB.Engine() == db.Postgres {
			explain, before = "EXPLAIN ", 0
			if _, err := tx.Exec(db.PageSettings); err != nil {
				return err
			}
		}
		return tx.Each(func(rows *sql.Rows) error {
			line := make([]any, before+1)
			for i := range line {
				line[i] = new(any)
			}
			detail := ""
			line[before] = &detail
			err := rows.Scan(line...)
			plan += detail + "\n"
			return err
		}, explain+text, args...)
	})
	return plan
}
