package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L51, L173.
func TestManageAppearance(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		live := s.app(tenant.Public, tenant.Live)
		dash, other := s.dashboard(s.Tenant), s.dashboard(s.NewTenant(t, "Another"))
		if got := dash.send("GET", "/manage/appearance", "").json(t); got["name"] != s.Tenant.Name || got["accent"] != nil || len(got["accents"].([]any)) != 12 {
			t.Errorf("at first: %v", got)
		}
		b := s.browser()
		b.start(live) // caches the client
		for _, change := range []struct{ body, name, accent string }{
			{`{"name":"Marché d'Ouaga"}`, "Marché d'Ouaga", ""},
			{`{"accent":"teal"}`, "Marché d'Ouaga", "teal"},
			{`{}`, "Marché d'Ouaga", "teal"},
		} {
			got := dash.send("PATCH", "/manage/appearance", change.body)
			got.must(t, http.StatusOK)
			accent, _ := got.json(t)["accent"].(string)
			if got.json(t)["name"] != change.name || accent != change.accent {
				t.Errorf("%s: %s", change.body, got.body)
			}
		}
		loginID := b.start(live)
		if got := b.poll(loginID)["tenantName"]; got != "Marché d'Ouaga" {
			t.Errorf("a login begins with the name %v", got)
		}
		if got := b.visit("/authorize/details?loginKeyId=" + loginID).json(t)["accent"]; got != "teal" {
			t.Errorf("a login's page has the accent %v", got)
		}
		if page := string(b.page(loginID).body); !strings.Contains(page, `data-accent="teal"`) {
			t.Error("the page without JavaScript does not have the accent")
		}
		before := string(dash.send("GET", "/manage/appearance", "").body)
		for _, body := range []string{`{"name":""}`, `{"name":" x"}`, `{"name":"a\u0007b"}`, `{"name":"a\u202eb"}`, `{"name":"\u3164"}`, `{"name":"` + strings.Repeat("é", 101) + `"}`, `{"accent":"white"}`, `{"accent":"teal;color:red"}`, `{"name":5}`} {
			dash.send("PATCH", "/manage/appearance", body).refused(t, http.StatusBadRequest, "invalid_request", "malformed_parameter")
		}
		if after := string(dash.send("GET", "/manage/appearance", "").body); after != before {
			t.Errorf("after refusals %s, before %s", after, before)
		}
		if got := other.send("GET", "/manage/appearance", "").json(t); got["name"] != "Another" || got["accent"] != nil {
			t.Errorf("another tenant has %v", got)
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'appearance.updated' AND actor = 'tenant'`); n != 3 {
			t.Errorf("%d events, want 3", n)
		}
		dash.send("PATCH", "/manage/appearance", `{"accent":""}`).must(t, http.StatusOK)
		if got := b.visit("/authorize/details?loginKeyId=" + loginID).json(t)["accent"]; got != nil {
			t.Errorf("the accent is %v, want none", got)
		}
	})
}

func TestManageAppearance_ChangesOnlyWhatIsSent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		dash := s.dashboard(s.Tenant)
		for i := range 30 {
			name, accent := fmt.Sprintf("Name %d", i), tenant.Accents()[i%len(tenant.Accents())]
			var both sync.WaitGroup
			both.Go(func() { dash.send("PATCH", "/manage/appearance", `{"name":"`+name+`"}`).must(t, http.StatusOK) })
			both.Go(func() { dash.send("PATCH", "/manage/appearance", `{"accent":"`+accent+`"}`).must(t, http.StatusOK) })
			both.Wait()
			if got := dash.send("GET", "/manage/appearance", "").json(t); got["name"] != name || got["accent"] != accent {
				t.Fatalf("round %d: %v, want %s and %s", i, got, name, accent)
			}
		}
	})
}
