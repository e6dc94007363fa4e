package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestAppearance_IsChangedAndShown(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		s.Get("/dashboard/appearance").Shows(t, `value="Bamako Bank"`, `value="" checked`, `data-name>Bamako Bank`)
		s.Post("/dashboard/appearance", "name", " Marché <b> ", "accent", "teal").Leads(t, "/dashboard/appearance")
		s.Get("/dashboard/appearance").Shows(t, `value="Marché &lt;b&gt;"`, `value="teal" checked`, `data-theme="light" data-accent="teal"`, `data-theme="dark" data-accent="teal"`, "Saved.")
		for _, wrong := range [][]string{{"name", ""}, {"name", strings.Repeat("é", 101)}, {"name", "a\x07b"}, {"name", "x", "accent", "white"}, {"name", "x", "accent", "<script>"}} {
			got := s.Post("/dashboard/appearance", wrong...)
			if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, `class="wrong"`) || strings.Contains(got.Body, "<script>\"") {
				t.Errorf("%q: got %d, want 400 with what is wrong", wrong, got.Status)
			}
		}
		if n := s.Count(t, "SELECT count(*) FROM tenants WHERE name = 'Marché <b>' AND accent = 'teal'"); n != 1 {
			t.Error("what was refused is stored")
		}
	})
}

// Each color that a tenant can choose has its shades, and the form offers each.
func TestAppearance_HasEachAccent(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	css, page := s.Get("/static/css/accents.css").Body, s.Get("/dashboard/appearance").Body
	for _, accent := range tenant.Accents() {
		if !strings.Contains(css, `[data-accent="`+accent+`"] { --light: #`) || !strings.Contains(page, `value="`+accent+`"`) {
			t.Errorf("%s has no shades, or cannot be chosen", accent)
		}
	}
	if n := strings.Count(css, "{ --light: #"); n != len(tenant.Accents()) {
		t.Errorf("%d accents in the style sheet, want %d", n, len(tenant.Accents()))
	}
}
