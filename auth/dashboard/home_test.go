package dashboard_test

import (
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestHome_ShowsTheFunnel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		s.Get("/dashboard").Shows(t, "No logins in 30 days", "/dashboard/clients")
		s.Logins(3)
		s.Get("/dashboard").Shows(t, `<dt>Started</dt><dd>6</dd>`, `<dt>Completed</dt><dd>4 <span class="note-line">66.7% of those started`, `<dt>Median time</dt><dd>21 s`, "27 Feb")
		c := s.NewClient(t, tenant.Confidential, tenant.Live)
		s.Exec(t, `UPDATE audit_events SET client_id = $1 WHERE at >= $2 AND login_id IS NOT NULL`, c.ClientID, db.Ms(authtest.Start.Truncate(24*time.Hour)))
		got := s.Get("/dashboard")
		got.Shows(t, `<a href="/dashboard/clients/`+c.ID+`"><bdi>`+c.ClientID+`</bdi></a>`, `<span class="mono">cl_live_x</span>`)
		if deleted, named := strings.Index(got.Body, `"mono">cl_live_x<`), strings.Index(got.Body, "<bdi>"+c.ClientID); deleted > named {
			t.Error("the client with more logins is not the first")
		}
		s.Get("/dashboard?mode=TEST").Shows(t, "No logins in 30 days")
		s.Get("/dashboard?mode=%3Cscript%3E").Shows(t, "Median time")
	})
}
