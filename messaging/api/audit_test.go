package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// auditLog reads the account's whole audit log, oldest first, as "actor action details".
func (p *people) auditLog(session string) (lines []string, raw string) {
	p.t.Helper()
	cursor := ""
	for range 100 { // maximum number of pages, because a faulty cursor might never end
		a := p.do("GET", "/api/audit?limit=3&cursor="+cursor, "", session)
		if a.status != http.StatusOK {
			p.t.Fatalf("%d %s", a.status, a.raw)
		}
		events, _ := a.body["events"].([]any)
		for _, e := range events {
			who, _ := object(e, "actor", "email").(string)
			lines = append(lines, fmt.Sprint(object(e, "actor", "type"), " ", who, " ", object(e, "action"), " ", object(e, "details")))
			if object(e, "address") != "127.0.0.0/24" && object(e, "actor", "type") != "system" {
				p.t.Errorf("address %v of %v", object(e, "address"), e)
			}
		}
		raw += a.raw
		if cursor = a.text("nextCursor"); cursor == "" {
			slices.Reverse(lines)
			return lines, raw
		}
	}
	p.t.Fatalf("the audit log goes on after 100 pages, %d lines", len(lines))
	return nil, ""
}

// Rules: M171.
func TestAudit_SaysWhoDidWhatAndNoSecret(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		tick := func() { p.Clock.Advance(time.Second) } // events in the same millisecond have no order
		tick()
		owner := p.signIn(ownerEmail)
		tick()
		project := object(p.do("POST", "/api/projects", `{"name":"Boutique"}`, owner, p.origin()).body, "project", "id")
		tick()
		token := p.invited(owner, "awa@example.com")
		tick()
		member := p.signIn("awa@example.com") // into no account yet
		if a := p.do("POST", "/api/session/invitation", `{"token":"`+token+`"}`, member, p.origin()); a.status != 200 {
			t.Fatalf("status %d, want 200: %s", a.status, a.raw)
		}
		tick()
		made := p.do("POST", "/api/keys", fmt.Sprintf(`{"kind":"project","projectId":%q}`, project), member, p.origin())
		tick()
		for range 2 { // revoking it again is not an event
			p.do("DELETE", "/api/keys/"+fmt.Sprint(object(made.body, "key", "id")), "", member, p.origin())
			tick()
		}
		p.SetWebhook(t, "https://example.com/hook/SECRETPATH")
		p.wants(p.do("POST", "/api/webhooks/stream/rotate-secret", "", "X-API-Key: "+p.LiveKey), 200, "")
		tick()
		p.do("DELETE", "/api/session", "", member, p.origin())
		tick()
		id := object(p.do("GET", "/api/members", "", owner).body, "members").([]any)[0]
		p.do("DELETE", "/api/members/"+fmt.Sprint(object(id, "id")), "", owner, p.origin())

		got, raw := p.auditLog(owner)
		prefix := object(made.body, "key", "prefix")
		want := []string{
			"system  account.created map[email:test-pro@example.com plan:pro]",
			"system  key.created map[kind:live prefix:" + p.LiveKey[:14] + "]",
			"owner test-pro@example.com session.opened map[]",
			"owner test-pro@example.com project.created map[name:Boutique]",
			"owner test-pro@example.com member.invited map[email:awa@example.com role:developer]",
			"member awa@example.com member.joined map[email:awa@example.com role:developer]",
			fmt.Sprintf("member awa@example.com key.created map[kind:project prefix:%v project:%v]", prefix, project),
			fmt.Sprintf("member awa@example.com key.revoked map[kind:project prefix:%v]", prefix),
			"key  stream.secret_rotated map[]",
			"member awa@example.com session.closed map[]",
			"owner test-pro@example.com member.removed map[email:awa@example.com revokedKeys:0]",
		}
		slices.Sort(got[:2]) // in the same millisecond
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, secret := range []string{token, made.text("secret"), p.LiveKey, "SECRETPATH", strings.TrimPrefix(member, "Cookie: svc_account=")} {
			if strings.Contains(raw, secret) {
				t.Errorf("the log has %s:\n%s", secret, raw)
			}
		}
	})
}

// Refused actions are not in the log.
func TestAudit_HoldsNothingThatWasRefused(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	before, _ := p.auditLog(owner)
	p.wants(p.do("POST", "/api/keys", `{"kind":"project","projectId":"none"}`, owner, p.origin()), 404, "project_not_found")
	p.wants(p.do("DELETE", "/api/keys/none", "", owner, p.origin()), 404, "key_not_found")
	p.wants(p.do("DELETE", "/api/members/none", "", owner, p.origin()), 404, "member_not_found")
	p.wants(p.do("DELETE", "/api/invitations/none", "", owner, p.origin()), 404, "invitation_not_found")
	p.wants(p.do("POST", "/api/members", `{"email":"`+ownerEmail+`"}`, owner, p.origin()), 409, "already_member")
	p.wants(p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":"000000"}`, p.origin()), 401, "sign_in_failed")
	if after, _ := p.auditLog(owner); !slices.Equal(before, after) {
		t.Errorf("got %v, want %v", after, before)
	}
}

func TestAudit_BadRequests(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	for query, want := range map[string]string{
		"limit=0": "invalid_request", "limit=201": "invalid_request", "limit=x": "invalid_request", "cursor=x": "invalid_cursor", "action=Key": "invalid_request",
		"action=%27": "invalid_request", "since=x": "invalid_request", "until=x": "invalid_request", "actor=nobody": "invalid_request", "action=" + strings.Repeat("a", 65): "invalid_request",
	} {
		p.wants(p.do("GET", "/api/audit?"+query, "", owner), 400, want)
	}
	for query, want := range map[string]int{"action=key.": 1, "action=session.opened": 1, "action=none": 0, "since=2030-01-01": 0, "until=2030-01-01": 3, "until=1960-01-01": 0, "since=2026-03-04&until=2026-03-04": 3, "until=2026-03-03": 0, "actor=owner": 1, "actor=Test-Pro@example.com": 1, "actor=key": 0, "actor=none@example.com": 0, "actor=system&action=key.": 1, "since=0001-01-01": 3} {
		if a := p.do("GET", "/api/audit?"+query, "", owner); a.body["count"] != float64(want) {
			t.Errorf("%s: got %s, want %d", query, a.raw, want)
		}
	}
}
