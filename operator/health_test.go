package operator_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
)

// The first page says that sending is paused, and resumes it.
func TestHealth_Paused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		if s := ask[messagingadmin.SendingState](s, "sending.pause", messagingadmin.Nothing{}); s.PausedAt == nil || s.Reason != "operator" {
			t.Errorf("paused: %+v", s)
		}
		s.get("/operator").Shows(t, "2026-03-04 12:00:00 UTC", `action="/operator/resume"`)
		s.post("/operator/resume").Leads(t, "/operator")
		s.get("/operator").Hides(t, `action="/operator/resume"`)
		if h := ask[messagingadmin.Health](s, "health.show", messagingadmin.Nothing{}); h.Sending.PausedAt != nil {
			t.Errorf("still paused: %+v", h.Sending)
		}
		if n := s.Int(t, `SELECT count(*) FROM account_audit_events WHERE action IN ('sending.paused', 'sending.resumed') AND actor = 'operator'`); n != 2 {
			t.Errorf("%d audit events, want 2", n)
		}
	})
}
