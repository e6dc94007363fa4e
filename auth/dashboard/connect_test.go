package dashboard_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L195.
func TestClientConnect(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		c := s.NewClient(t, tenant.Confidential, tenant.Live)
		page, form := "/dashboard/clients/"+c.ID, "/dashboard/clients/"+c.ID+"/connect"
		version := func() string {
			t.Helper()
			all := regexp.MustCompile(`name="version" value="([^"]+)"`).FindAllStringSubmatch(s.Get(page).Body, -1)
			if len(all) != 2 {
				t.Fatalf("%d forms with a version, want 2", len(all))
			}
			return all[1][1]
		}
		old := version()
		s.Post(form, "version", old, "after", "https://app.example/bye\r\nhttps://app.example/", "backchannel", " https://app.example/logout ", "allow", "yes").Leads(t, page)
		s.Get(page).Shows(t, "Saved.", "Allow requests without state, nonce, and PKCE", `name="allow" value="yes" checked`, "https://app.example/bye\nhttps://app.example/", `value="https://app.example/logout"`, "Enabled")

		if got := s.Post(form, "version", old, "after", "", "backchannel", "https://other.example/"); got.Status != http.StatusConflict || strings.Count(got.Body, `aria-invalid="true"`) != 3 {
			t.Errorf("a stale form: %d %s", got.Status, got.Body)
		}
		before := version()
		s.Post(form, "version", before, "after", "https://app.example/bye\r\nhttps://app.example/", "backchannel", "https://app.example/logout").Leads(t, page)
		if got := s.Post(form, "version", before, "after", "https://app.example/bye\r\nhttps://app.example/", "backchannel", "https://app.example/logout", "allow", "yes"); got.Status != http.StatusConflict || strings.Count(got.Body, `aria-invalid="true"`) != 1 || !strings.Contains(got.Body, "off") {
			t.Errorf("a form with a stale checkbox: %d %s", got.Status, got.Body)
		}
		s.Post(form, "version", version(), "after", "https://app.example/bye\r\nhttps://app.example/", "backchannel", "https://app.example/logout", "allow", "yes").Leads(t, page)
		for _, wrong := range [][2]string{{"http://app.example/", ""}, {"", "http://app.example/logout"}, {"", "https://10.0.0.1/"}} {
			got := s.Post(form, "version", version(), "after", wrong[0], "backchannel", wrong[1])
			if got.Status != http.StatusBadRequest || strings.Count(got.Body, `aria-invalid="true"`) != 1 {
				t.Errorf("%q: %d %s", wrong, got.Status, got.Body)
			}
		}
		got, err := s.Tenants.OwnedClient(context.Background(), s.Tenant.ID, c.ID)
		if err != nil || len(got.Connect.PostLogoutRedirectURIs) != 2 || got.Connect.BackchannelLogoutURI != "https://app.example/logout" || !got.Connect.StateOptional || got.Connect.AnyLoopbackPort {
			t.Errorf("stored %+v, %v", got, err)
		}
		s.Post(form, "version", version(), "after", "", "backchannel", "").Leads(t, page)
		if n := s.Count(t, `SELECT count(*) FROM oauth_clients WHERE backchannel_logout_uri IS NULL AND state_optional = 0 AND post_logout_redirect_uris = '[]'`); n != 1 {
			t.Error("the settings are not gone")
		}
		native := s.NewClient(t, tenant.Public, tenant.Live)
		s.Post("/dashboard/clients/"+native.ID+"/connect", "after", "", "backchannel", "", "allow", "yes").Leads(t, "/dashboard/clients/"+native.ID)
		s.Get("/dashboard/clients/"+native.ID).Shows(t, "Allow any port on this machine", `name="allow" value="yes" checked`)
	})
}
