package api_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
)

// accountsSetURL lets accounts set their own URL.
func accountsSetURL(o *api.Options) { o.Endpoints.AccountsSetURL = true }

// Rules: M213.
func TestWebhookSet_TheOwnersURL(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited", accountsSetURL)
		if a := s.owner("PUT", "/api/webhooks", `{"url":null}`); a.status != 200 || a.body["webhook"] != nil || a.body["secret"] != nil {
			t.Errorf("no endpoint was removed: %d %s", a.status, a.raw)
		}
		s.wants(s.owner("POST", "/api/webhooks/rotate-secret", ""), 409, "webhook_not_configured")
		first := s.owner("PUT", "/api/webhooks", `{"url":" https://shop.example/hooks?key=1 "}`)
		secret := first.text("secret")
		if _, err := webhook.ParseSecret(secret); first.status != 200 || err != nil || object(first.body, "webhook", "url") != "https://shop.example/hooks?key=1" || first.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("the first URL: %d %s", first.status, first.raw)
		}
		if a := s.owner("PUT", "/api/webhooks", `{"url":"https://shop.example/new"}`); a.status != 200 || a.body["secret"] != nil || object(a.body, "webhook", "url") != "https://shop.example/new" {
			t.Errorf("another URL: %d %s", a.status, a.raw)
		}
		rotated := s.owner("POST", "/api/webhooks/rotate-secret", "")
		if _, err := webhook.ParseSecret(rotated.text("secret")); rotated.status != 200 || err != nil || rotated.text("secret") == secret || rotated.text("previousSecretUntil") != "2026-03-05T12:00:00.000Z" {
			t.Errorf("a new secret: %d %s", rotated.status, rotated.raw)
		}
		if a := s.owner("GET", "/api/webhooks", ""); object(a.body, "webhook", "previousSecretUntil") != "2026-03-05T12:00:00.000Z" || strings.Contains(a.raw, "whsec_") {
			t.Errorf("the endpoint: %s", a.raw)
		}
		for _, none := range []string{`{"url":""}`, `{"url":null}`} {
			if a := s.owner("PUT", "/api/webhooks", none); a.status != 200 || a.body["webhook"] != nil || a.body["secret"] != nil {
				t.Errorf("%s: %d %s", none, a.status, a.raw)
			}
		}
		s.wants(s.owner("POST", "/api/webhooks/ping", ""), 409, "webhook_not_configured")
		if a := s.owner("PUT", "/api/webhooks", `{"url":"https://shop.example/again"}`); a.status != 200 || a.body["secret"] != nil {
			t.Errorf("a later endpoint has the same secret: %d %s", a.status, a.raw)
		}
	})
}

// Rules: M213.
func TestWebhookSet_RefusesURLs(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited", accountsSetURL)
	s.owner("PUT", "/api/webhooks", `{"url":"https://shop.example/hooks"}`)
	for _, body := range []string{
		`{"url":"http://shop.example/x-secret"}`, `{"url":"https://10.0.0.1/x-secret"}`, `{"url":"https://169.254.169.254/x-secret"}`, `{"url":"https://[fd00::1]/x-secret"}`,
		`{"url":"https://awa:x-secret@shop.example/"}`, `{"url":"https://shop.example/#x-secret"}`, `{"url":"ftp://shop.example/x-secret"}`, `{"url":"x-secret"}`, `{"url":"https:///x-secret"}`,
		`{"url":"https://shop.example/\u200bx-secret"}`, `{"url":"https://shop.example/` + strings.Repeat("a", 2048) + `"}`,
		`{}`, `{"Url":"https://shop.example/x-secret"}`, `{"url":1}`, `{"url":["https://shop.example/x-secret"]}`, `{"url":false}`,
	} {
		a := s.owner("PUT", "/api/webhooks", body)
		if s.wants(a, 400, "invalid_request"); a.text("field") != "url" || strings.Contains(a.raw, "x-secret") {
			t.Errorf("%s: %s", body, a.raw)
		}
	}
	s.wants(s.owner("PUT", "/api/webhooks", `null`), 400, "invalid_json")
	if a := s.owner("GET", "/api/webhooks", ""); object(a.body, "webhook", "url") != "https://shop.example/hooks" {
		t.Errorf("a refused request has changed the endpoint: %s", a.raw)
	}
	if n := s.Int(t, `SELECT count(*) FROM account_audit_events WHERE action LIKE 'webhook.%'`); n != 1 {
		t.Errorf("%d audit events, want that of the first URL", n)
	}
}

// Rules: M213.
func TestWebhookSet_AnOperatorsDecisionStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited", accountsSetURL)
		s.owner("PUT", "/api/webhooks", `{"url":"https://shop.example/hooks"}`)
		if err := s.Endpoints.Disable(t.Context(), s.Account.ID); err != nil {
			t.Fatal(err)
		}
		for _, body := range []string{`{"url":"https://shop.example/other"}`, `{"url":"https://shop.example/hooks"}`, `{"url":null}`} {
			s.wants(s.owner("PUT", "/api/webhooks", body), 403, "forbidden")
		}
		if a := s.owner("POST", "/api/webhooks/rotate-secret", ""); a.status != 200 {
			t.Errorf("a new secret: %d %s", a.status, a.raw)
		}
		a := s.owner("GET", "/api/webhooks", "")
		if object(a.body, "webhook", "url") != "https://shop.example/hooks" || object(a.body, "webhook", "enabled") != false || object(a.body, "webhook", "disabledReason") != "operator" {
			t.Errorf("the endpoint that an operator has disabled: %s", a.raw)
		}
	})
}

// A URL that replaces one that failed gets the events that wait.
// Rules: M213.
func TestWebhookSet_EnablesAnEndpointThatFailed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited", accountsSetURL)
		s.owner("PUT", "/api/webhooks", `{"url":"https://shop.example/hooks"}`)
		s.owner("POST", "/api/webhooks/ping", "")
		s.Exec(t, `UPDATE webhook_endpoints SET disabled_at = $1, disabled_for = 'failing', failing_since = $1 WHERE account_id = $2`, db.Ms(s.Clock.Now()), s.Account.ID)
		a := s.owner("PUT", "/api/webhooks", `{"url":"https://shop.example/new"}`)
		if a.status != 200 || object(a.body, "webhook", "enabled") != true || object(a.body, "webhook", "failingSince") != nil || object(a.body, "webhook", "pending") != 1.0 {
			t.Errorf("%d %s", a.status, a.raw)
		}
	})
}

// Unless the operator has enabled it, the addresses respond like those that have never existed.
// Rules: M212.
func TestWebhookSet_IsOffByDefault(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	same := func(a, b *answer) bool {
		delete(a.body, "requestId")
		delete(b.body, "requestId")
		return a.status == b.status && a.header.Get("Allow") == b.header.Get("Allow") && object(a.body, "code") == object(b.body, "code") && object(a.body, "message") == object(b.body, "message")
	}
	for _, shown := range []string{"X-Nothing: x", "X-API-Key: " + p.LiveKey, owner} {
		set, other := p.do("PUT", "/api/webhooks", `{"url":"https://shop.example/"}`, shown, p.origin()), p.do("DELETE", "/api/webhooks", "", shown, p.origin())
		if p.wants(set, 405, "method_not_allowed"); !same(set, other) {
			t.Errorf("PUT: %s\nDELETE: %s", set.raw, other.raw)
		}
		rotate, none := p.do("POST", "/api/webhooks/rotate-secret", "", shown, p.origin()), p.do("POST", "/api/webhooks/none", "", shown, p.origin())
		if p.wants(rotate, 404, "not_found"); !same(rotate, none) {
			t.Errorf("rotate-secret: %s\nnone: %s", rotate.raw, none.raw)
		}
	}
	if a := p.owner("GET", "/api/webhooks", ""); a.body["webhook"] != nil {
		t.Errorf("an endpoint was set: %s", a.raw)
	}
}

// Keys of projects and for tests set nothing, nor do those of other accounts.
// Rules: M213.
func TestWebhookSet_IsTheOwners(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited", accountsSetURL)
	s.owner("PUT", "/api/webhooks", `{"url":"https://shop.example/hooks"}`)
	project, err := s.Directory.CreateProject(t.Context(), s.Account.ID, "Boutique")
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Directory.Create(t.Context(), &account.Spec{Name: "Two", Email: "two@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ method, path, body string }{{"PUT", "/api/webhooks", `{"url":null}`}, {"POST", "/api/webhooks/rotate-secret", ""}} {
		s.wants(s.do(r.method, r.path, r.body), 401, "unauthorized")
		s.wants(s.do(r.method, r.path, r.body, "X-API-Key: "+s.Key(t, s.Account.ID, "", account.Test)), 403, "live_key_required")
		s.wants(s.do(r.method, r.path, r.body, "X-API-Key: "+s.Key(t, s.Account.ID, project.ID, account.ProjectKey)), 403, "live_key_required")
	}
	if a := s.do("PUT", "/api/webhooks", `{"url":"https://two.example/hooks"}`, "X-API-Key: "+s.Key(t, made.ID, "", account.Live)); a.status != 200 || !strings.HasPrefix(a.text("secret"), "whsec_") {
		t.Errorf("another account: %d %s", a.status, a.raw)
	}
	if a := s.owner("GET", "/api/webhooks", ""); object(a.body, "webhook", "url") != "https://shop.example/hooks" || object(a.body, "webhook", "previousSecretUntil") != nil {
		t.Errorf("the endpoint: %s", a.raw)
	}
	if err := s.Delivery.SetSuspended(t.Context(), s.Account.ID, "unpaid"); err != nil {
		t.Fatal(err)
	}
	s.wants(s.owner("PUT", "/api/webhooks", `{"url":null}`), 403, "account_suspended")
}
