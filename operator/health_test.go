package operator_test

import (
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
)

// The figures of each queue are cards, like those of the server, and overdue messages are highlighted.
func TestHealth_Figures(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		card := func(label, value string) string {
			return `<div class="card stat"><dt>` + label + `</dt><dd>` + value
		}
		s.Get("/operator").Shows(t, card("Version", "v1.2.3"), "No messages are waiting")
		s.Store(t, s.Waiting())
		page := s.Get("/operator")
		page.Shows(t, "<h3>WhatsApp</h3>", card("Ready", "1</dd>"), card("Due", "0</dd>"), card("Later", "0</dd>"), card("Oldest has waited since", `12:00:00 <span class="note-line">2026-03-04 UTC</span>`))
		page.Hides(t, "late, ")
		s.Clock.Advance(5 * time.Minute)
		s.Get("/operator").Shows(t, card("Oldest has waited since", `12:00:00 <span class="note-line down">late, 2026-03-04 UTC</span>`))
	})
}

// The first page shows that sending is paused, and resumes it.
func TestHealth_Paused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		if s := operatortest.Ask[messagingverbs.SendingState](s, "sending.pause", messagingverbs.Nothing{}); s.PausedAt == nil || s.Reason != "operator" {
			t.Errorf("paused: %+v", s)
		}
		s.Get("/operator").Shows(t, "2026-03-04 12:00:00 UTC", `action="/operator/resume"`)
		s.Post("/operator/resume").Leads(t, "/operator")
		s.Get("/operator").Hides(t, `action="/operator/resume"`)
		if h := operatortest.Ask[messagingverbs.Health](s, "health.show", messagingverbs.Nothing{}); h.Sending.PausedAt != nil {
			t.Errorf("still paused: %+v", h.Sending)
		}
		if n := s.Int(t, `SELECT count(*) FROM account_audit_events WHERE action IN ('sending.paused', 'sending.resumed') AND actor = 'operator'`); n != 2 {
			t.Errorf("%d audit events, want 2", n)
		}
	})
}
