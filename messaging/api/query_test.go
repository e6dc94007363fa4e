package api_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
)

// The + in a time, a number, or an email address is a plus sign, escaped or not. Elsewhere, it is a space. Only &
// separates parameters.
// Rules: M118.
func TestQuery_PlusAndSemicolon(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	key := "X-API-Key: " + p.LiveKey
	p.do("POST", "/api/send", `{"to":"awa+shop@example.com","channel":"email","message":"Zoé; oui","subject":"Salut"}`, key)
	p.do("POST", "/api/opt-outs", `{"channel":"email","address":"awa+shop@example.com"}`, key)
	p.do("POST", "/api/opt-outs", `{"channel":"sms","address":"+22376000003"}`, key)
	p.Clock.Advance(time.Hour)
	p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"Bonjour"}`, key)
	owner := p.signIn(ownerEmail)
	for path, want := range map[string]int{
		"svc-logs?to=awa+shop@example.com": 1, "svc-logs?to=awa%2Bshop@example.com": 1, "svc-logs?to=awa%20shop@example.com": 0, "svc-logs?to=+22376000001": 1, "svc-logs?to=%2022376000001": 1,
		"svc-logs?since=2026-03-04T13:30:00+01:00": 1, "svc-logs?since=2026-03-04T13:30:00%2B01:00": 1, "svc-logs?until=2026-03-04T13:30+0100": 1, "svc-logs?since=2026-03-04T13:30:00+01:00&utm=a;b": 1,
		"svc-logs?q=Zoé;+oui": 1, "svc-logs?q=Zoé%3B%20oui": 1, "svc-logs?q=Zoé;": 1, "svc-logs?q=Zoé;%2Boui": 0, "svc-logs?a;b&;&to=22376000001": 1,
		"opt-outs?address=awa+shop@example.com": 1, "opt-outs?address=+22376000003": 1, "opt-outs?address=22376000003&x=1;2": 1, "opt-outs?q=%2B223+76+00": 1,
		"audit?actor=nobody+x@example.com": 0, "audit?action=optout.added&since=2026-03-04T12:30:00+01:00": 2, "audit?action=optout.added&since=2026-03-04T13:30:00+01:00": 0,
	} {
		if a := p.do("GET", "/api/"+path, "", owner); a.status != 200 || fmt.Sprint(a.body["count"]) != fmt.Sprint(want) {
			t.Errorf("%s: %d %s, want %d", path, a.status, a.raw, want)
		}
	}
	for _, path := range []string{"stats?from=2026-03-04T10:00+01:00&to=2026-03-04T12:00+01:00", "stats?from=2026-03-04T10:00:00%2B01:00&to=2026-03-04T12:00:00+0100&x=;"} {
		if a := p.do("GET", "/api/"+path, "", owner); a.status != 200 || a.text("from") != "2026-03-04T09:00:00.000Z" || a.text("to") != "2026-03-04T11:00:00.000Z" {
			t.Errorf("%s: %d %.300s", path, a.status, a.raw)
		}
	}
	for _, query := range []string{"limit=%zz", "x=%", "%&limit=1"} {
		p.wants(p.do("GET", "/api/svc-logs?"+query, "", owner), 400, "invalid_request")
	}
}
