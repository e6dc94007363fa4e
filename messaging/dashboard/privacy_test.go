package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

func TestPrivacy_ExportsAndErases(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		p.wants(p.get("/dashboard/privacy"), http.StatusOK, "Nobody has been erased yet")
		sent := p.send("to", "+22376000001", "channel", "sms", "message", "Bonjour Zanzibar")
		file := p.post("/dashboard/privacy/export", "address", "+223 76 00 00 01")
		if file.status != http.StatusOK || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") || !strings.Contains(file.body, "Zanzibar") || file.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", file.status, file.header, file.body)
		}
		p.wants(p.post("/dashboard/privacy/erase", "address", "+22376000001"), http.StatusBadRequest, "Tick the box to erase.")
		if m := w.Message(t, strings.TrimPrefix(sent, "/dashboard/messages/")); m.Erased() {
			t.Error("it was erased without being sure")
		}
		p.wants(p.post("/dashboard/privacy/erase", "address", "+223 76 00 00 01", "sure", "yes"), http.StatusSeeOther, "/dashboard/privacy?done=person_erased")
		shown := p.get("/dashboard/privacy?done=person_erased")
		p.wants(shown, http.StatusOK, "This person is erased.")
		p.wants(shown, http.StatusOK, "erased-")
		gone := p.get(sent)
		p.wants(gone, http.StatusOK, "The person was erased")
		if strings.Contains(gone.body, "Send again") || strings.Contains(gone.body, "curl ") {
			t.Errorf("the page offers to send to an erased person:\n%s", gone.body)
		}
		if m := w.Message(t, strings.TrimPrefix(sent, "/dashboard/messages/")); !m.Erased() || m.Content.Text != "" || m.Status != message.Sent {
			t.Errorf("%+v", m)
		}
		for _, path := range []string{"export", "erase"} {
			p.wants(p.post("/dashboard/privacy/"+path, "address", "12", "sure", "yes"), http.StatusBadRequest, "This is not a number")
			p.wants(p.post("/dashboard/privacy/"+path, "address", "awa@", "sure", "yes"), http.StatusBadRequest, "This is not an e-mail address")
		}
	})
}

func TestPrivacy_IsTheOwnersWithARecentCode(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	owner, viewer := w.signIn(ownerEmail), w.member("awa@example.com", account.RoleViewer)
	viewer.wants(viewer.get("/dashboard/privacy"), http.StatusForbidden, "forbidden")
	viewer.wants(viewer.post("/dashboard/privacy/erase", "address", "+22376000001", "sure", "yes"), http.StatusForbidden, "forbidden")
	w.Clock.Advance(account.RecentCode)
	owner.wants(owner.get("/dashboard/privacy"), http.StatusOK, "Download the file")
	for _, path := range []string{"export", "erase"} {
		got := owner.post("/dashboard/privacy/"+path, "address", "+22376000001", "sure", "yes")
		owner.wants(got, http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Fprivacy%3Fdone%3Dconfirmed")
	}
	foreign := *owner
	foreign.origin = "https://evil.example"
	foreign.wants(foreign.post("/dashboard/privacy/erase", "address", "+22376000001", "sure", "yes"), http.StatusForbidden, "origin_mismatch")
	if n := w.Int(t, `SELECT count(*) FROM person_erasures`); n != 0 {
		t.Errorf("%d erasures, want none", n)
	}
}
