package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func TestPrivacy_ExportsAndErases(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/privacy"), http.StatusOK, "No one has been erased yet")
		sent := p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour Zanzibar")
		file := p.Post("/dashboard/privacy/export", "address", "+223 76 00 00 01")
		if file.Status != http.StatusOK || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") || !strings.Contains(file.Body, "Zanzibar") || file.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", file.Status, file.Header, file.Body)
		}
		p.Wants(p.Post("/dashboard/privacy/erase", "address", "+22376000001"), http.StatusBadRequest, "Tick the box to erase.")
		if m := w.Message(t, strings.TrimPrefix(sent, "/dashboard/messages/")); m.Erased() {
			t.Error("it was erased without being sure")
		}
		p.Wants(p.Post("/dashboard/privacy/erase", "address", "\u202a＋223 76\u201100\u201100\u201101\u202c", "sure", "yes"), http.StatusSeeOther, "/dashboard/privacy?done=person_erased")
		shown := p.Get("/dashboard/privacy?done=person_erased")
		p.Wants(shown, http.StatusOK, "This person is erased.")
		p.Wants(shown, http.StatusOK, "erased-")
		gone := p.Get(sent)
		p.Wants(gone, http.StatusOK, "The person was erased")
		if strings.Contains(gone.Body, "Send again") || strings.Contains(gone.Body, "curl ") {
			t.Errorf("the page offers to send to an erased person:\n%s", gone.Body)
		}
		if m := w.Message(t, strings.TrimPrefix(sent, "/dashboard/messages/")); !m.Erased() || m.Content.Text != "" || m.Status != message.Sent {
			t.Errorf("%+v", m)
		}
		for _, path := range []string{"export", "erase"} {
			p.Wants(p.Post("/dashboard/privacy/"+path, "address", "12", "sure", "yes"), http.StatusBadRequest, "and the country code")
			p.Wants(p.Post("/dashboard/privacy/"+path, "address", "awa@", "sure", "yes"), http.StatusBadRequest, "This is not an email address")
		}
	})
}

func TestPrivacy_IsTheOwnersWithARecentCode(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner, viewer := w.SignIn(messagingtest.OwnerEmail), w.Member("awa@example.com", account.RoleViewer)
	viewer.Wants(viewer.Get("/dashboard/privacy"), http.StatusForbidden, "forbidden")
	viewer.Wants(viewer.Post("/dashboard/privacy/erase", "address", "+22376000001", "sure", "yes"), http.StatusForbidden, "forbidden")
	w.Clock.Advance(account.RecentCode)
	owner.Wants(owner.Get("/dashboard/privacy"), http.StatusOK, "Download the file")
	for _, path := range []string{"export", "erase"} {
		got := owner.Post("/dashboard/privacy/"+path, "address", "+22376000001", "sure", "yes")
		owner.Wants(got, http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Fprivacy%3Fdone%3Dconfirmed")
	}
	foreign := *owner
	foreign.Origin = "https://evil.example"
	foreign.Wants(foreign.Post("/dashboard/privacy/erase", "address", "+22376000001", "sure", "yes"), http.StatusForbidden, "origin_mismatch")
	if n := w.Int(t, `SELECT count(*) FROM person_erasures`); n != 0 {
		t.Errorf("%d erasures, want none", n)
	}
}
