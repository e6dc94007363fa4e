package api_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// found lists the texts that a search of the logs returns, page by page.
func (p *people) found(session, query string) (previews []string) {
	p.t.Helper()
	cursor := ""
	for {
		a := p.do("GET", "/api/svc-logs?limit=2&"+query+"&cursor="+cursor, "", session)
		if a.status != 200 {
			p.t.Fatalf("%s: %d %s", query, a.status, a.raw)
		}
		list, _ := a.body["logs"].([]any)
		for _, item := range list {
			previews = append(previews, fmt.Sprint(object(item, "preview")))
		}
		if cursor = a.text("nextCursor"); cursor == "" {
			slices.Sort(previews)
			return previews
		}
	}
}

// Rules: M118.
func TestLogs_Search(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		texts := []string{`Commande "2041" prête`, "text html subject", "100% de remise", "a_b <c> & d", "Rendez-vous demain"}
		var ids []string
		all := append([]string{"corps", "<nil>"}, texts...) // also the ones below
		for i, text := range texts {
			a := p.send(fmt.Sprintf(`{"to":"2237600000%d","channel":"sms","message":%q}`, i, text))
			ids = append(ids, a.text("messageId"))
			p.Clock.Advance(time.Minute)
		}
		p.send(`{"to":"22376000009","channel":"sms","message":"code 314159","sensitive":true}`)
		p.send(`{"to":"awa@example.com","channel":"email","subject":"Facture","message":"corps"}`)
		for query, want := range map[string][]string{
			"q=2041": {texts[0]}, "q=COMMANDE": {texts[0]}, "q=%222041%22": {texts[0]}, "q=text": {texts[1]}, "q=subject": {texts[1]}, "q=html": {texts[1]},
			"q=100%25": {texts[2]}, "q=a_b": {texts[3]}, "q=%3Cc%3E+%26": {texts[3]}, "q=axb": nil, "q=314159": nil, "q=facture": {"corps"}, "q=awa@": {"corps"},
			"q=%2B223+7600+0003": {texts[3]}, "q=22376000002": {texts[2]}, "q=" + ids[4]: {texts[4]}, "q=de": {texts[0], texts[2], texts[4]},
			"source=api&q=demain": {texts[4]}, "source=inbox": nil, "senderId=none": nil,
			"until=2026-03-04T12:01:00Z": {texts[0]}, "until=1960-01-01": nil, "until=2026-03-03": nil, "until=2026-03-04T00:00Z": nil, "since=2026-03-04&until=2026-03-04": all, "since=20260304&until=20260304": all, "until=2026-03-05T00:00": all, "since=2026-03-04T12:01:00Z&until=2026-03-04T12:03:00Z": {texts[1], texts[2]},
		} {
			slices.Sort(want)
			if got := p.found(owner, query); !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
		}
		sender := fmt.Sprint(object(p.do("GET", "/api/svc-logs?q=Facture", "", owner).body["logs"].([]any)[0], "senderId"))
		if got := p.found(owner, "senderId="+sender); !slices.Equal(got, []string{"corps"}) {
			t.Errorf("of the sender: %q", got)
		}
		for query, want := range map[string]string{"q=" + strings.Repeat("x", 201): "invalid_request", "source=x": "invalid_request", "until=x": "invalid_request", "q=+": "invalid_request"} {
			p.wants(p.do("GET", "/api/svc-logs?"+query, "", owner), 400, want)
		}
	})
}

// A viewer cannot find texts by searching that only the owner can read.
func TestLogs_AViewerSearchesNoConversations(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	viewer, _ := p.member(owner, "awa@example.com", "viewer")
	p.Receive(t, "22376000002", "in1", "Bonjour")
	list, _ := p.do("GET", "/api/inbox/conversations", "", owner).body["conversations"].([]any)
	p.do("POST", fmt.Sprintf("/api/inbox/conversations/%v/reply", object(list[0], "id")), `{"text":"Secret"}`, owner, p.origin())
	if got := p.found(owner, "q=secret"); len(got) != 1 {
		t.Errorf("the owner finds %q", got)
	}
	if got := p.found(viewer, "q=secret"); len(got) != 0 {
		t.Errorf("a viewer finds %q", got)
	}
}

// Rules: M175.
func TestLogsCSV(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		p.send(`{"to":"+22376000001","channel":"sms","message":"=1+1","metadata":{"order":"42"}}`)
		p.Clock.Advance(time.Minute)
		p.send(`{"to":"22376000002","channel":"sms","message":"code 314159","sensitive":true}`)
		p.Clock.Advance(time.Minute)
		p.send(`{"to":"+awa@example.com","channel":"email","subject":"Facture","message":"corps"}`)
		a := p.do("GET", "/api/svc-logs.csv", "", owner)
		if a.status != 200 || a.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") || a.header.Get("Cache-Control") != "no-store" || a.header.Get("X-Next-Cursor") != "" {
			t.Fatalf("%d %v %s", a.status, a.header, a.raw)
		}
		lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.raw, "\ufeff"))).ReadAll()
		if err != nil || len(lines) != 4 {
			t.Fatalf("%v: %s", err, a.raw)
		}
		for i, want := range []string{"to", "'+awa@example.com", "(+223) 76000002", "(+223) 76000001"} {
			if lines[i][4] != want {
				t.Errorf("line %d: to %q, want %q", i, lines[i][4], want)
			}
		}
		if lines[3][13] != `{"order":"42"}` || lines[3][5] != "SENT" {
			t.Errorf("line %q", lines[3])
		}
		for _, said := range []string{"1+1", "314159", "Facture", "corps"} {
			if strings.Contains(a.raw, said) {
				t.Errorf("the file has %q:\n%s", said, a.raw)
			}
		}
		first := p.do("GET", "/api/svc-logs.csv?limit=2", "", owner)
		rest := p.do("GET", "/api/svc-logs.csv?cursor="+first.header.Get("X-Next-Cursor"), "", owner)
		if strings.Count(first.raw, "\n") != 3 || strings.Count(rest.raw, "\n") != 2 || !strings.Contains(rest.raw, "(+223) 76000001") {
			t.Errorf("in two files:\n%s\n%s", first.raw, rest.raw)
		}
		if a := p.do("GET", "/api/svc-logs.csv?channel=email", "", owner); strings.Count(a.raw, "\n") != 2 {
			t.Errorf("with a filter: %s", a.raw)
		}
		p.wants(p.do("GET", "/api/svc-logs.csv?limit=10001", "", owner), 400, "invalid_request")
		events := p.do("GET", "/api/audit?action=logs.exported", "", owner)
		list, _ := events.body["events"].([]any)
		if len(list) != 4 || !strings.Contains(events.raw, `"messages":"3"`) {
			t.Errorf("audited: %s", events.raw)
		}
		p.Clock.Advance(time.Minute)
		p.wants(p.send(`{"to":"ML.9001","channel":"whatsapp","message":"x","sandbox":true}`), 200, "")
		if a := p.do("GET", "/api/svc-logs.csv?limit=1", "", owner); !strings.Contains(a.raw, ",ML.9001,") {
			t.Errorf("of an ID: %s", a.raw)
		}
	})
}

// A file that is read in many pages contains every message once.
func TestLogsCSV_OfManyMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		grow(t, p.World, p.Account.ID, 0, 2500, 100)
		p.Clock.Advance(time.Hour)
		owner := p.signIn(ownerEmail)
		a := p.do("GET", "/api/svc-logs.csv", "", owner)
		seen := map[string]bool{}
		for _, line := range strings.Split(strings.TrimSpace(a.raw), "\n")[1:] {
			id, _, _ := strings.Cut(line, ",")
			seen[id] = true
		}
		if len(seen) != 2500 || strings.Count(a.raw, "\n") != 2501 || a.header.Get("X-Next-Cursor") != "" {
			t.Errorf("%d messages in %d lines", len(seen), strings.Count(a.raw, "\n"))
		}
	})
}
