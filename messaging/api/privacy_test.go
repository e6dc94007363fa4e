package api_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: M176.
func TestPeople_ExportedAndErased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		sent := p.send(`{"to":"+22376000001","channel":"sms","message":"Bonjour Zanzibar","metadata":{"order":"7"}}`).text("messageId")
		later := p.send(`{"to":"+22376000001","channel":"sms","message":"Plus tard","scheduledAt":"2026-03-05T12:00:00Z"}`).text("messageId")
		p.Receive(t, "22376000001", "in1", "STOP")
		p.wants(p.do("POST", "/api/people/export", `{"address":"+22376000001"}`, owner), 403, "origin_mismatch")
		file := p.do("POST", "/api/people/export", `{"address":"+22376000001"}`, owner, p.origin())
		if file.status != 200 || !strings.Contains(file.raw, "Zanzibar") || !strings.Contains(file.raw, later) || file.body["complete"] != true {
			t.Fatalf("%d %s", file.status, file.raw)
		}
		erased := p.do("POST", "/api/people/erase", `{"address":"+22376000001"}`, owner, p.origin())
		if object(erased.body, "erasure", "status") != "done" || object(erased.body, "erasure", "messages") != float64(2) || object(erased.body, "erasure", "canceled") != float64(1) {
			t.Fatalf("%d %s", erased.status, erased.raw)
		}
		pseudonym, _ := object(erased.body, "erasure", "pseudonym").(string)
		for _, id := range []string{sent, later} {
			if a := p.do("GET", "/api/status/"+id, "", owner); a.status != 200 || strings.Contains(a.raw, "22376000001") {
				t.Errorf("%d %s", a.status, a.raw)
			}
		}
		if logs := p.do("GET", "/api/svc-logs", "", owner); logs.status != 200 || !strings.Contains(logs.raw, pseudonym) || strings.Contains(logs.raw, "22376000001") {
			t.Errorf("%d %s", logs.status, logs.raw)
		}
		if file := p.do("GET", "/api/svc-logs.csv", "", owner); file.status != 200 || !strings.Contains(file.raw, pseudonym) {
			t.Errorf("%d %s", file.status, file.raw)
		}
		p.wants(p.send(`{"to":"+22376000001","channel":"whatsapp","message":"x"}`), 409, "recipient_opted_out")
		if a := p.do("GET", "/api/opt-outs?address=22376000001", "", owner); a.body["count"] != float64(1) || !strings.Contains(a.raw, pseudonym) || strings.Contains(a.raw, "22376000001") {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if a := p.do("GET", "/api/audit?action=person.", "", owner); a.body["count"] != float64(3) || !strings.Contains(a.raw, pseudonym) || strings.Contains(a.raw, "22376000001") {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if strings.Contains(p.Log.String(), "22376000001") {
			t.Error("the log has the number")
		}
	})
}

func TestPeople_BadAddresses(t *testing.T) {
	t.Parallel()
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	for body, want := range map[string]string{`{}`: "invalid_phone", `{"address":"12"}`: "invalid_phone", `{"address":"awa@"}`: "invalid_email", `{"address":7}`: "invalid_request", `[]`: "invalid_json", `x`: "invalid_json"} {
		for _, path := range []string{"/api/people/export", "/api/people/erase"} {
			p.wants(p.do("POST", path, body, owner, p.origin()), 400, want)
		}
	}
}
