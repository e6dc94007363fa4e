package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// A caller that requests a simulation gets one, from every endpoint and in each form.
// Rules: M36, M64, M86.
func TestSandbox_HoldsForRepliesAndBatches(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.Receive(t, awa, "1", "Bonjour")
		id := s.conversationWith(awa)
		reply := id + "/reply"
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"reply","arguments":{"conversationId":"` + strings.TrimPrefix(id, "conversations/") + `","text":"x"}}}`
		rpc := []string{"Authorization: Bearer " + s.LiveKey, "Accept: application/json, text/event-stream"}
		for _, h := range []string{"1", "true"} {
			h = "X-Svc-Sandbox: " + h
			for name, a := range map[string]*answer{
				"a send": s.send(good, h), "a reply": s.inbox("POST", reply, `{"text":"x"}`, h), "a batch": s.batch(`{"messages":[`+good+`]}`, h), "an assistant's": s.do("POST", "/mcp", call, append(rpc, h)...),
				"a code": s.otp("send", `{"to":"22376000001","channel":"sms"}`, h),
			} {
				if a.status != 200 || !strings.Contains(a.raw, "sb_") || strings.Contains(a.raw, "SENT") {
					t.Errorf("%s with %s: %d %s", name, h, a.status, a.raw)
				}
			}
		}
		if a := s.inbox("POST", reply, `{"text":"x","sandbox":true}`); a.status != 200 || a.text("status") != "SANDBOX" {
			t.Errorf("a reply: %d %s", a.status, a.raw)
		}
		mixed := `{"messages":[` + good + `,` + strings.Replace(good, "{", `{"sandbox":false,`, 1) + `],"sandbox":true}`
		if a := s.batch(mixed); fmt.Sprint(items(a)) != "[200 SANDBOX 200 SANDBOX]" {
			t.Errorf("a batch: %d %s", a.status, a.raw)
		}
		if n := len(s.Gateway.Calls()); n != 0 {
			t.Fatalf("%d messages were really sent", n)
		}
		for _, h := range []string{"0", "false"} {
			if a := s.send(good, "X-Svc-Sandbox: "+h); a.status != 200 || a.text("status") != "SENT" {
				t.Errorf("%s: %d %s", h, a.status, a.raw)
			}
			if a := s.send(strings.Replace(good, "{", `{"sandbox":true,`, 1), "X-Svc-Sandbox: "+h); a.text("status") != "SANDBOX" {
				t.Errorf("%s with the member: %d %s", h, a.status, a.raw)
			}
		}
		sent := len(s.Gateway.Calls())
		for _, v := range []string{"yes", "2", "TRUE", "on", "1, 0", "", "geheim"} {
			h := "X-Svc-Sandbox: " + v
			for name, a := range map[string]*answer{
				"a send": s.send(good, h), "a reply": s.inbox("POST", reply, `{"text":"x"}`, h), "a batch": s.batch(`{"messages":[`+good+`]}`, h), "a code": s.otp("send", `{"to":"22376000001"}`, h),
				"a guess": s.otp("verify", `{"to":"22376000001","code":"123456"}`, h), "groups": s.do("GET", "/api/partner/whatsapp/groups", "", "X-API-Key: "+s.LiveKey, h), "an assistant's": s.do("POST", "/mcp", call, append(rpc, h)...),
			} {
				if a.status != 400 || a.text("code") != "invalid_request" || a.text("field") != "X-Svc-Sandbox" || strings.Contains(a.raw, "geheim") {
					t.Errorf("%s with %q: %d %s", name, v, a.status, a.raw)
				}
			}
		}
		for body, send := range map[string]func(string, ...string) *answer{
			sms + `,"sandbox":"true"}`: s.send, sms + `,"sandbox":2}`: s.send, `{"messages":[` + good + `],"sandbox":"no"}`: s.batch,
			`{"text":"x","sandbox":"1"}`: func(body string, h ...string) *answer { return s.inbox("POST", reply, body, h...) },
		} {
			if a := send(body); a.status != 400 || a.text("field") != "sandbox" {
				t.Errorf("%s: %d %s", body, a.status, a.raw)
			}
		}
		if n := len(s.Gateway.Calls()); n != sent {
			t.Errorf("%d messages more were sent", n-sent)
		}
	})
}

// Rules: M132.
func TestInbox_RepliesTakeAKeyInJSON(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.Receive(t, awa, "1", "Bonjour")
		reply := s.conversationWith(awa) + "/reply"
		first := s.inbox("POST", reply, `{"text":"x","idempotencyKey":"k"}`)
		for name, again := range map[string]*answer{
			"in JSON": s.inbox("POST", reply, `{"text":"x","idempotencyKey":"k"}`), "in the header": s.inbox("POST", reply, `{"text":"x"}`, "Idempotency-Key: k"), "in both": s.inbox("POST", reply, `{"text":"x","idempotencyKey":"k"}`, "Idempotency-Key: k"),
		} {
			if first.status != 200 || again.status != 200 || again.body["deduplicated"] != true || again.text("messageId") != first.text("messageId") {
				t.Errorf("%s: %d %s", name, again.status, again.raw)
			}
		}
		s.wants(s.inbox("POST", reply, `{"text":"x","idempotencyKey":"k"}`, "Idempotency-Key: other"), 400, "idempotency_mismatch")
		s.wants(s.inbox("POST", reply, `{"text":"x","idempotencyKey":""}`), 400, "invalid_idempotency_key")
		if n := len(s.Gateway.Calls()); n != 1 {
			t.Errorf("%d messages were sent", n)
		}
	})
}
