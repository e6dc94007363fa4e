package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

// Rules: M169.
func TestKeys_RotateByJSON(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		developer, _ := p.member(owner, "awa@example.com", "developer")
		made := p.do("POST", "/api/keys", `{"kind":"live","name":" Caisse "}`, owner, p.origin())
		if made.status != 201 || object(made.body, "key", "name") != "Caisse" || object(made.body, "key", "expiresAt") != nil {
			t.Fatalf("%d %s", made.status, made.raw)
		}
		path := fmt.Sprintf("/api/keys/%v/rotate", object(made.body, "key", "id"))
		works := func(key string) bool { return p.do("GET", "/api/svc-logs", "", "X-API-Key: "+key).status == 200 }
		for body, want := range map[string]string{
			`{"graceSeconds":-1}`: "invalid_request", `{"graceSeconds":604801}`: "invalid_request", `{"graceSeconds":1.5}`: "invalid_request", `{"graceSeconds":"1"}`: "invalid_request",
			`{"graceSeconds":99999999999999999999}`: "invalid_request", `[`: "invalid_json",
		} {
			p.wants(p.do("POST", path, body, owner, p.origin()), 400, want)
		}
		p.wants(p.do("POST", path, `{}`, developer, p.origin()), 404, "key_not_found")
		p.wants(p.do("POST", path, `{}`, owner, "Origin: https://evil.example"), 403, "origin_mismatch")
		p.wants(p.do("POST", path, `{}`, "X-API-Key: "+p.LiveKey), 403, "session_required")

		rotated := p.do("POST", path, `{}`, owner, p.origin()) // for a day
		if rotated.status != 201 || object(rotated.body, "key", "name") != "Caisse" || object(rotated.body, "replaced", "expiresAt") != "2026-03-05T12:00:00.000Z" || object(rotated.body, "replaced", "revokedAt") != nil {
			t.Fatalf("%d %s", rotated.status, rotated.raw)
		}
		if !works(made.text("secret")) || !works(rotated.text("secret")) {
			t.Error("within the grace, both keys do not work")
		}
		p.wants(p.do("POST", path, `{}`, owner, p.origin()), 409, "key_inactive")
		atOnce := p.do("POST", fmt.Sprintf("/api/keys/%v/rotate", object(rotated.body, "key", "id")), `{"graceSeconds":0}`, owner, p.origin())
		if works(rotated.text("secret")) || !works(atOnce.text("secret")) || object(atOnce.body, "replaced", "revokedAt") == nil {
			t.Errorf("without grace: %d %s", atOnce.status, atOnce.raw)
		}
		log, raw := p.auditLog(owner)
		if want := fmt.Sprintf("owner %s key.rotated map[endsAt:2026-03-05T12:00:00Z kind:live newKey:%v prefix:%v]", ownerEmail, object(rotated.body, "key", "id"), object(made.body, "key", "prefix")); !strings.Contains(strings.Join(log, "\n"), want) {
			t.Errorf("no %q in\n%s", want, strings.Join(log, "\n"))
		}
		for _, secret := range []string{made.text("secret"), rotated.text("secret"), atOnce.text("secret")} {
			if strings.Contains(raw, secret) || strings.Contains(p.Log.String(), secret) {
				t.Errorf("a log has %s", secret)
			}
		}
		p.Clock.Advance(account.RecentCode)
		p.wants(p.do("POST", path, `{}`, owner, p.origin()), 403, "recent_code_required")
		p.Clock.Advance(24 * time.Hour)
		if works(made.text("secret")) || !works(atOnce.text("secret")) {
			t.Error("a day later the old key works, or the new one does not")
		}
	})
}

// A member's key still belongs to the member after another person has rotated it, and is revoked when the member is removed.
func TestKeys_ARotatedKeyStaysItsMakers(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	awa, awaID := p.member(owner, "awa@example.com", "developer")
	key := p.projectKey(awa, p.project(awa, "Site"))
	rotated := p.do("POST", fmt.Sprintf("/api/keys/%v/rotate", object(key.body, "key", "id")), `{"graceSeconds":3600}`, owner, p.origin())
	if rotated.status != 201 || object(rotated.body, "key", "createdBy") != awaID || object(rotated.body, "key", "kind") != "project" {
		t.Fatalf("%d %s", rotated.status, rotated.raw)
	}
	if a := p.do("DELETE", "/api/members/"+awaID, "", owner, p.origin()); a.body["revokedKeys"] != float64(2) {
		t.Errorf("%d %s", a.status, a.raw)
	}
	p.wants(p.do("GET", "/api/svc-logs", "", "X-API-Key: "+rotated.text("secret")), 401, "unauthorized")
}

// Only the owner sets the tools of a live key, with a recent code. A key can't set its own.
// Rules: M204.
func TestKeys_SetAssistantTools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		developer, _ := p.member(owner, "awa@example.com", "developer")
		made := p.do("POST", "/api/keys", `{"kind":"live","name":"Assistant"}`, owner, p.origin())
		if tools, _ := object(made.body, "key", "assistantTools").([]any); made.status != 201 || tools == nil || len(tools) != 0 {
			t.Fatalf("%d %s", made.status, made.raw)
		}
		id := fmt.Sprint(object(made.body, "key", "id"))
		path := "/api/keys/" + id
		tools := func(a *answer) string { return fmt.Sprint(a.status, " ", object(a.body, "key", "assistantTools")) }
		set := func(body string) *answer { return p.do("PATCH", path, body, owner, p.origin()) }
		if got := tools(set(`{"assistantTools":["status","search","search"]}`)); got != "200 [search status]" {
			t.Errorf("set: %s", got)
		}
		if got := tools(set(`{"assistantTools":["search","status"]}`)); got != "200 [search status]" {
			t.Errorf("again: %s", got)
		}
		for body, want := range map[string]string{
			`{}`: "invalid_request", `{"assistantTools":null}`: "invalid_request", `{"assistantTools":["delete"]}`: "invalid_request", `{"assistantTools":["SEND"]}`: "invalid_request",
			`{"assistantTools":["search send"]}`: "invalid_request", `{"assistantTools":"send"}`: "invalid_request", `{"assistantTools":[1]}`: "invalid_request", `[`: "invalid_json",
		} {
			p.wants(set(body), 400, want)
		}
		const all = `{"assistantTools":["send"]}`
		p.wants(p.do("PATCH", path, all, developer, p.origin()), 403, "forbidden")
		p.wants(p.do("PATCH", path, all, "X-API-Key: "+made.text("secret")), 403, "session_required")
		p.wants(p.do("PATCH", path, all, "Authorization: Bearer "+p.LiveKey), 403, "session_required")
		p.wants(p.do("PATCH", path, all, owner, "Origin: https://evil.example"), 403, "origin_mismatch")
		p.wants(p.do("PATCH", "/api/keys/none", all, owner, p.origin()), 404, "key_not_found")
		test := p.do("POST", "/api/keys", `{"kind":"test"}`, owner, p.origin())
		p.wants(p.do("PATCH", fmt.Sprintf("/api/keys/%v", object(test.body, "key", "id")), all, owner, p.origin()), 400, "invalid_request")
		list := p.do("GET", "/api/keys", "", owner)
		if n := strings.Count(list.raw, `"assistantTools":["search","status"]`); n != 1 || strings.Contains(list.raw, `"send"`) {
			t.Errorf("%d keys with the tools in %s", n, list.raw)
		}

		// The key that replaces it has the same tools, and each has its own from then on.
		p.Clock.Advance(time.Second)
		rotated := p.do("POST", path+"/rotate", `{}`, owner, p.origin())
		if got := tools(rotated); got != "201 [search status]" {
			t.Errorf("rotated: %s", got)
		}
		if got := tools(set(`{"assistantTools":[]}`)); got != "200 []" {
			t.Errorf("off: %s", got)
		}
		if list := p.do("GET", "/api/keys", "", owner); strings.Count(list.raw, `"assistantTools":["search","status"]`) != 1 {
			t.Errorf("after the replaced key has lost its tools: %s", list.raw)
		}
		p.Clock.Advance(10 * time.Minute)
		if a := p.do("DELETE", path, "", owner, p.origin()); a.status != 200 {
			t.Fatal(a.raw)
		}
		p.wants(set(all), 409, "key_inactive")
		log, _ := p.auditLog(owner)
		prefix := fmt.Sprint(object(made.body, "key", "prefix"))
		var changed []string
		for _, line := range log {
			if strings.Contains(line, "key.changed") {
				changed = append(changed, line)
			}
		}
		want := []string{
			fmt.Sprintf("owner %s key.changed map[prefix:%s tools:search status]", ownerEmail, prefix),
			fmt.Sprintf("owner %s key.changed map[before:search status prefix:%s]", ownerEmail, prefix),
		}
		if fmt.Sprint(changed) != fmt.Sprint(want) {
			t.Errorf("events %q, want %q", changed, want)
		}
		if !strings.Contains(strings.Join(log, "\n"), "tools:search status") {
			t.Errorf("the new key's tools are not in %q", log)
		}
		p.Clock.Advance(account.RecentCode)
		p.wants(p.do("PATCH", path, all, owner, p.origin()), 403, "recent_code_required")
	})
}
