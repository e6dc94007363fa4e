package dashboard_test

import (
	"testing"

	"example.com/griot/auth/dashboard/dashboardtest"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestHome_ShowsTheFunnel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := dashboardtest.NewSite(t, d)
		s.SignIn()
		s.Get("/dashboard").Shows(t, "No logins in 30 days", "/dashboard/clients")
		s.Logins(3)
		s.Get("/dashboard").Shows(t, `<dt>Started</dt><dd>6</dd>`, `<dt>Completed</dt><dd>4 <span class="note-line">67% of those started`, `<dt>Median time</dt><dd>21 s`, "27/02")
		s.Get("/dashboard?mode=TEST").Shows(t, "No logins in 30 days")
		s.Get("/dashboard?mode=%3Cscript%3E").Shows(t, "Median time")
	})
}
