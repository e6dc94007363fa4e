package dashboard_test

import (
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// logins stores the events of LIVE logins of the last days: on each day as many as it is days ago, of which every second is completed.
func (s *site) logins(days int) {
	s.t.Helper()
	s.Write(s.t, func(tx *db.Tx) error {
		for ago := range days {
			for i := range ago + 1 {
				began := s.Clock.Now().Add(-time.Duration(ago)*24*time.Hour - time.Duration(i)*time.Minute)
				loginID := id.New(began)
				steps := []string{tenant.LoginStarted, tenant.LoginActivated, tenant.LoginVerified, tenant.TokenIssued}
				if i%2 == 1 {
					steps = steps[:1+i%3]
				}
				for n, typ := range steps {
					at := began.Add(time.Duration(n*7) * time.Second)
					e := &tenant.Event{ID: id.New(at), TenantID: s.Tenant.ID, Type: typ, At: at, Actor: tenant.ActorUser, ClientID: "cl_live_x", LoginID: loginID, Mode: tenant.Live}
					if n >= 2 {
						e.Phone = "22376543210"
					}
					if err := tenant.Record(tx, e); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

func TestHome_ShowsTheFunnel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		s.get("/dashboard").Shows(t, "No logins in 30 days", "/dashboard/clients")
		s.logins(3)
		s.get("/dashboard").Shows(t, `<dt>Started</dt><dd>6</dd>`, `<dt>Completed</dt><dd>4 <span class="note-line">67% of those started`, `<dt>Median time</dt><dd>21 s`, "27/02")
		s.get("/dashboard?mode=TEST").Shows(t, "No logins in 30 days")
		s.get("/dashboard?mode=%3Cscript%3E").Shows(t, "Median time")
	})
}
