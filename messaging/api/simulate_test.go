package api_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
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

// A recipient selects what the events of a simulated message report. Everything else is as for any other recipient.
// Rules: M210, M211.
func TestSandbox_OutcomesAreOnlyInEvents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.SetWebhook(t, "https://example.com/hook")
		test := "X-API-Key: " + s.Key(t, s.Account.ID, "", account.Test)
		cursor := regexp.MustCompile(`"nextCursor":[^}]+`)
		// simulate sends a simulated message. It returns its events, and everything else that the account sees of it.
		simulate := func(channel, to, more string) (events, rest string) {
			t.Helper()
			s.Clock.Advance(time.Second)
			before := s.owner("GET", "/api/webhooks/events", "").body["count"]
			sent := s.do("POST", "/api/send", fmt.Sprintf(`{"to":%q,"channel":%q,"message":"x"%s}`, to, channel, more), test)
			s.wants(sent, 200, "")
			id := sent.text("messageId")
			if sent.text("status") != "SANDBOX" || !strings.HasPrefix(id, "sb_") {
				t.Errorf("%s: %s", to, sent.raw)
			}
			list, _ := s.owner("GET", "/api/webhooks/events", "").body["events"].([]any)
			for _, item := range list[:len(list)-int(before.(float64))] {
				eventID := item.(map[string]any)["eventId"].(string)
				var b struct {
					MessageID, Status string
					Sandbox           bool
					Error             struct{ Code string }
				}
				body := s.owner("GET", "/api/webhooks/events/"+eventID, "").text("body")
				if err := json.Unmarshal([]byte(body), &b); err != nil || b.MessageID != id || !b.Sandbox {
					t.Errorf("%s: event %s, %v", to, body, err)
				}
				events = strings.TrimSpace(b.Status+" "+b.Error.Code) + "; " + events // the list has the newest first
			}
			rest = sent.raw + s.do("GET", "/api/status/"+id, "", test).raw + s.do("GET", "/api/svc-logs?limit=1", "", test).raw
			rest = strings.NewReplacer(strings.TrimPrefix(id, "sb_"), "ID", to, "TO", s.Clock.Now().UTC().Format("T15:04:05"), "TIME").Replace(rest)
			rest = cursor.ReplaceAllString(rest, "CURSOR")
			return events, rest
		}
		for channel, recipients := range map[string]map[string]string{
			"sms":      {"+22376000001": "sent; delivered; ", "+447700900010": "sent; delivered; ", "+447700900024": "sent; failed delivery_failed; ", "+447700900033": "expired expired; "},
			"whatsapp": {"+22376000001": "sent; delivered; ", "+447700900002": "sent; delivered; read; ", "+447700900010": "failed not_on_whatsapp; ", "+447700900014": "failed recipient_opted_out; "},
			"auto":     {"+22376000001": "sent; delivered; ", "+447700900010": "failed not_on_whatsapp; "},
			"email":    {"awa@example.com": "sent; delivered; ", "bounced@simulated.example": "sent; failed bounced; "},
		} {
			all := map[string]string{}
			for to, want := range recipients {
				events, rest := simulate(channel, to, "")
				if events != want {
					t.Errorf("%s on %s: events %q, want %q", to, channel, events, want)
				}
				all[rest] += to + " "
				if events, _ := simulate(channel, to, `,"sandboxWebhooks":false`); events != "" {
					t.Errorf("%s on %s: events %q, want none", to, channel, events)
				}
			}
			if len(all) != 1 {
				t.Errorf("on %s, recipients differ by more than their events: %q", channel, all)
			}
		}
		if n, calls := s.Int(t, `SELECT count(*) FROM opt_outs`), len(s.Gateway.Calls()); n != 0 || calls != 0 {
			t.Errorf("%d opt-outs and %d calls of the gateway, want none", n, calls)
		}
		code := s.do("POST", "/api/otp/send", `{"to":"+447700900010"}`, test)
		s.wants(code, 200, "")
		s.wants(s.do("POST", "/api/otp/verify", `{"challengeId":"`+code.text("challengeId")+`","code":"000000"}`, test), 200, "")

		real := s.send(`{"to":"+447700900024","channel":"sms","message":"x"}`)
		if s.wants(real, 200, ""); real.text("status") != "SENT" || len(s.Gateway.Calls()) != 1 {
			t.Errorf("a real message: %s, and %d calls of the gateway", real.raw, len(s.Gateway.Calls()))
		}
	})
}
