package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
)

const reasonOfSuspension = "Spam reports."

// suspend suspends the account on another node.
func (s *service) suspend() {
	s.t.Helper()
	elsewhere := s.NewDelivery(func(o *delivery.Options) { o.Directory = account.NewDirectory(s.DB, s.Clock.Now) })
	if err := elsewhere.SetSuspended(s.t.Context(), s.Account.ID, reasonOfSuspension); err != nil {
		s.t.Fatal(err)
	}
	s.Directory.ForgetAll() // as Follow does
}

// Rules: M191.
func TestSuspended_KeysAndSessions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d, accountsSetURL)
		owner := p.signIn(ownerEmail)
		viewer, _ := p.member(owner, "moussa@example.com", "viewer")
		shows := map[string]string{"live": "X-API-Key: " + p.LiveKey, "test": "X-API-Key: " + p.Key(t, p.Account.ID, "", account.Test), "owner": owner, "viewer": viewer}
		p.suspend()
		stays := []string{ // sign-in, and billing
			"GET /api/session", "POST /api/session", "POST /api/session/verify", "POST /api/session/invitation", "PATCH /api/session", "DELETE /api/session", "POST /api/account",
			"GET /api/billing", "POST /api/billing/checkout", "POST /api/billing/portal",
		}
		replays := []string{"POST /api/send/batch", "POST /api/otp/send", "POST /api/inbox/conversations/{id}/reply"} // the body is read first
		for _, route := range append(routes(), "POST /mcp", "GET /api/webhooks/stream") {
			method, path, _ := strings.Cut(route, " ")
			if path == "/api/session" && method == "DELETE" {
				continue
			}
			path = strings.NewReplacer("{messageId}", "msg_01KJWBG7G0NGJ7V25V1R3KGN47", "{id}", "none").Replace(path)
			body, authorization := "", ""
			switch {
			case path == "/mcp":
				body, authorization = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization: Bearer "+p.LiveKey
			case method == "POST" || method == "PUT" || method == "PATCH":
				body = `{}`
			}
			for i, name := range who {
				if shows[name] == "" || access[route] != nil && access[route][i] != in || access[route] == nil && name != "live" {
					continue
				}
				headers := []string{shows[name], p.origin()}
				if authorization != "" {
					headers = []string{authorization}
				}
				a := p.do(method, path, body, headers...)
				refused := a.status == 403 && a.text("code") == "account_suspended"
				if stay := slices.Contains(stays, route); refused == stay && !slices.Contains(replays, route) {
					t.Errorf("%s by %s: %d %s; is it open while suspended: %v", route, name, a.status, a.raw, stay)
				}
			}
		}
		if a := p.do("GET", "/api/session", "", p.signIn(ownerEmail)); a.status != 200 { // people still sign in
			t.Errorf("the session: %d %s", a.status, a.raw)
		}
		if err := p.Delivery.SetSuspended(t.Context(), p.Account.ID, ""); err != nil {
			t.Fatal(err)
		}
		for name, header := range shows {
			if a := p.do("GET", "/api/svc-logs", "", header); a.status != 200 {
				t.Errorf("after the suspension, by %s: %d %s", name, a.status, a.raw)
			}
		}
		log, _ := p.auditLog(owner)
		if !slices.ContainsFunc(log, func(l string) bool { return strings.Contains(l, "account.suspended") }) || !slices.ContainsFunc(log, func(l string) bool { return strings.Contains(l, "account.resumed") }) {
			t.Errorf("audited: %q", log)
		}
	})
}

// Rules: M191.
func TestSuspended_ReplaysAnswerTheSame(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		key := "Authorization: Bearer " + s.LiveKey
		const sms, items = `{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"k"}`, `{"idempotencyKey":"b","messages":[{"to":"22376000002","channel":"sms","message":"x"},{"to":"22376000003","channel":"sms","message":"y"}]}`
		sent, many, code := s.send(sms), s.do("POST", "/api/send/batch", items, key), s.do("POST", "/api/otp/send", `{"to":"22376000004","idempotencyKey":"o"}`, key)
		rows := s.countRows()
		s.suspend()
		if again := s.send(sms); again.status != 200 || again.text("messageId") != sent.text("messageId") || again.body["deduplicated"] != true {
			t.Errorf("repeated: %d %s, want %s", again.status, again.raw, sent.raw)
		}
		if again := s.do("POST", "/api/send/batch", items, key); again.status != 200 || again.body["accepted"] != float64(2) || again.text("failed") != many.text("failed") {
			t.Errorf("the batch repeated: %d %s, want %s", again.status, again.raw, many.raw)
		}
		if again := s.do("POST", "/api/otp/send", `{"to":"22376000004","idempotencyKey":"o"}`, key); again.status != 200 || again.text("challengeId") != code.text("challengeId") {
			t.Errorf("the code repeated: %d %s, want %s", again.status, again.raw, code.raw)
		}
		for path, body := range map[string]string{
			"/api/send": `{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"new"}`, "/api/otp/send": `{"to":"22376000004","idempotencyKey":"p"}`, "/api/otp/verify": `{"to":"22376000004","code":"123456"}`,
		} {
			s.wants(s.do("POST", path, body, key), 403, "account_suspended")
		}
		s.wants(s.send(`{"to":"22376000001","channel":"sms","message":"x","dryRun":true}`), 403, "account_suspended")
		s.wants(s.send(`{"to":"22376000001","channel":"sms","message":"x","sandbox":true}`), 403, "account_suspended")
		fresh := s.do("POST", "/api/send/batch", strings.Replace(items, `"b"`, `"c"`, 1), key)
		if list, _ := fresh.body["results"].([]any); fresh.status != 200 || fresh.body["accepted"] != float64(0) || len(list) == 0 || !strings.Contains(fresh.raw, `"error":"account_suspended"`) {
			t.Errorf("another batch: %d %s", fresh.status, fresh.raw)
		}
		if n := s.countRows(); n != rows {
			t.Errorf("%d rows, want %d: nothing was stored", n, rows)
		}
	})
}

// Rules: M191.
func TestSuspended_EndsStreams(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		url := streaming(t, s)
		l, _ := listen(t, url, s.LiveKey, "")
		l.secret()
		s.suspend()
		l.waitForEnd()
		if _, res := listen(t, url, s.LiveKey, ""); res.StatusCode != http.StatusForbidden {
			t.Errorf("it listens again: %s", res.Status)
		}
		if err := s.Delivery.SetSuspended(context.Background(), s.Account.ID, ""); err != nil {
			t.Fatal(err)
		}
		again, _ := listen(t, url, s.LiveKey, "")
		again.secret()
	})
}
