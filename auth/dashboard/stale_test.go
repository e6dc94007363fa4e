package dashboard_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/web/webtest"
)

// together runs functions at the same time.
func together(t *testing.T, functions ...func() error) {
	t.Helper()
	var all sync.WaitGroup
	for _, f := range functions {
		all.Go(func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestClients_SavingTheNameKeepsASwitchOffOfTheSameMoment(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		c := s.NewClient(t, tenant.Confidential, tenant.Live)
		at, redirects := "/dashboard/clients/"+c.ID, c.RedirectURIs[0]
		cookies := map[string]string{"svc_dashboard": s.Cookie}
		for i := range 30 {
			if _, _, err := s.Tenants.SwitchClient(context.Background(), c.ClientID, true); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("Name %d", i)
			together(t, func() error {
				if got := webtest.Send(t, s.URL, http.MethodPost, at, webtest.Form("name", name, "redirects", redirects), cookies); got.Status != http.StatusSeeOther {
					return fmt.Errorf("save: %d", got.Status)
				}
				return nil
			}, func() error {
				_, _, err := s.Tenants.SwitchClient(context.Background(), c.ClientID, false)
				return err
			})
			if got, err := s.Tenants.OwnedClient(context.Background(), s.Tenant.ID, c.ID); err != nil || got.Active || got.Name != name {
				t.Fatalf("round %d: active %v, name %q, %v; want it off, and called %q", i, got.Active, got.Name, err, name)
			}
		}
	})
}

func TestClients_AStaleFormIsShownAgainWithBothValues(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		c := s.NewClient(t, tenant.Confidential, tenant.Test, "https://app.example/a")
		at := "/dashboard/clients/" + c.ID
		shown := s.Get(at).Version(t)
		s.Post(at, "version", shown, "name", "Theirs", "redirects", "https://app.example/b").Leads(t, at)
		stale := s.Post(at, "version", shown, "name", "Mine", "redirects", "https://app.example/a")
		stale.ShowsStale(t, `value="Mine"`, "Saved in the meantime: Theirs", ">https://app.example/a</textarea>", "Saved in the meantime: https://app.example/b")
		if got, err := s.Tenants.OwnedClient(context.Background(), s.Tenant.ID, c.ID); err != nil || got.Name != "Theirs" || got.RedirectURIs[0] != "https://app.example/b" {
			t.Errorf("%+v, %v: the stale form was saved", got, err)
		}
		s.Post(at, "version", shown, "name", "Theirs", "redirects", "https://app.example/b").Leads(t, at) // the values are the saved ones, as after a double click
		s.Post(at+"/switch", "active", "false").Leads(t, at)                                              // not a value of the form
		s.Post(at, "version", stale.Version(t), "name", "Mine", "redirects", "https://app.example/a").Leads(t, at)
		if got, err := s.Tenants.OwnedClient(context.Background(), s.Tenant.ID, c.ID); err != nil || got.Name != "Mine" || got.Active {
			t.Errorf("%+v, %v: want what was saved again, and switched off", got, err)
		}
	})
}

func TestAppearance_AStaleFormIsShownAgainWithBothValues(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		const at = "/dashboard/appearance"
		shown := s.Get(at).Version(t)
		s.Post(at, "version", shown, "name", "Theirs", "accent", "teal").Leads(t, at)
		stale := s.Post(at, "version", shown, "name", "Mine", "accent", "red")
		stale.ShowsStale(t, `value="Mine"`, "Saved in the meantime: Theirs", `value="red" checked`, "Saved in the meantime: Teal")
		s.Post(at, "version", stale.Version(t), "name", "Mine", "accent", "red").Leads(t, at)
		if n := s.Count(t, "SELECT count(*) FROM tenants WHERE name = 'Mine' AND accent = 'red'"); n != 1 {
			t.Error("saving again did not save")
		}
	})
}
