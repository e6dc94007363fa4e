package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// warned lists an answer's warnings as "code field".
func warned(t *testing.T, body map[string]any) (out []string) {
	t.Helper()
	list, _ := body["warnings"].([]any)
	for _, w := range list {
		item, _ := w.(map[string]any)
		if item["message"] == "" {
			t.Errorf("a warning without words: %v", item)
		}
		out = append(out, fmt.Sprint(item["code"], " ", item["field"]))
	}
	return out
}

const sms = `{"to":"22376000001","channel":"sms","message":"x"`

// Rules: M35, M37.
func TestStrange_MembersAreListed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		long := strings.Repeat("é", 65)
		const order = `{"to":"22376000001","channel":"sms","preset":"order_shipped","presetVariables":{`
		for body, want := range map[string]string{
			sms + `}`:                           "[]",
			sms + `,"tags":["a"],"priority":1}`: "[unknown_member priority unknown_member tags]",
			sms + `,"template":"x","buttons":[{"Id":1}]}`:                                 "[]",
			sms + `,"mine":{"to":1,"schedule":2}}`:                                        "[unknown_member mine]",
			sms + `,"presetVariables":{"To":"x"},"metadata":{"To":"x"}}`:                  "[]",
			sms + `,"retry":{"maxAttempts":2,"jitter":true}}`:                             "[unknown_member retry.jitter]",
			sms + `,"":1,"` + long + `":2}`:                                               "[unknown_member  unknown_member " + long[:2*64] + "]",
			sms + `,"preset":"otp","presetVariables":{"code":"1"}}`:                       "[ignored_member message]",
			sms + `,"tags":1,"preset":"order_shipped","presetVariables":{"orderId":"1"}}`: "[unknown_member tags ignored_member message]",
			order + `"orderId":"1","carrier":"DHL","locale":"en"}}`:                       "[]",
			order + `"orderId":"1","trackingnumber":"2","` + long + `":""}}`:              "[unknown_member presetVariables.trackingnumber unknown_member presetVariables." + long[:2*64] + "]",
			form(`{"template":{"name":"a","language":"fr","color":"red"}}`):               "[unknown_member whatsapp.template.color]",
			form(`{"interactive":{"buttons":[{"id":"1","title":"x","icon":"y"}]}}`):       "[unknown_member whatsapp.interactive.buttons[0].icon]",
		} {
			for _, dry := range []string{"", `"dryRun":true,`} {
				a := s.send(strings.Replace(body, "{", "{"+dry, 1))
				if got := fmt.Sprint(warned(t, a.body)); a.status != 200 || got != want {
					t.Errorf("%s%s: %d, warned of %s, want %s: %s", dry, body, a.status, got, want, a.raw)
				}
			}
		}
		keyed := sms + `,"tags":1,"idempotencyKey":"k"}`
		s.send(keyed)
		if a := s.send(keyed); a.body["deduplicated"] != true || len(warned(t, a.body)) != 1 {
			t.Errorf("a replay: %s", a.raw)
		}
		var many []string
		for i := range 100 {
			many = append(many, fmt.Sprintf(`"x%02d":1`, i))
		}
		if a := s.send(sms + `,"preset":"otp","presetVariables":{"code":"1","x":"y"},` + strings.Join(many, ",") + "}"); a.status != 200 || len(warned(t, a.body)) != 20 {
			t.Errorf("%d warnings, want 20: %s", len(warned(t, a.body)), a.raw)
		}
	})
}

// Rules: M37.
func TestStrange_NearMissesAreRefused(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	before := s.countRows()
	for body, field := range map[string]string{
		sms + `,"scheduled_at":"2026-03-05"}`:                                     "scheduledAt",
		sms + `,"Scheduled-At":"2026-03-05"}`:                                     "scheduledAt",
		sms + `,"scheduledat":null}`:                                              "scheduledAt",
		sms + `,"schedule":"2026-03-05"}`:                                         "scheduledAt",
		sms + `,"sendAt":"2026-03-05"}`:                                           "scheduledAt",
		sms + `,"send_at":"2026-03-05"}`:                                          "scheduledAt",
		sms + `,"SANDBOX":true}`:                                                  "sandbox",
		sms + `,"dry_run":true}`:                                                  "dryRun",
		sms + `,"idempotency-key":"k"}`:                                           "idempotencyKey",
		sms + `,"Idempotency-Key":"k"}`:                                           "idempotencyKey",
		sms + `,"meta_data":{}}`:                                                  "metadata",
		sms + `,"retry":{"max_attempts":3}}`:                                      "retry.maxAttempts",
		sms + `,"retries":3}`:                                                     "retry",
		sms + `,"whats_app":{}}`:                                                  "whatsapp",
		sms + `,"text":"x"}`:                                                      "message",
		sms + `,"tags":1,"sender_id":"snd_1"}`:                                    "senderId",
		`{"To":"22376000001","channel":"sms","message":"x"}`:                      "to",
		`{"phone":"22376000001","channel":"sms","message":"x"}`:                   "to",
		`{"to":"22376000001","channel":"sms","body":"x"}`:                         "message",
		form(`{"template":{"name":"a","language":"fr","Header":"x"}}`):            "whatsapp.template.header",
		form(`{"interactive":{"buttons":[{"id":"1","title":"x"}],"Footer":"x"}}`): "whatsapp.interactive.footer",
	} {
		a := s.send(body)
		name := field[strings.LastIndex(field, ".")+1:]
		if a.status != 400 || a.text("code") != "invalid_request" || a.text("field") != field || !strings.Contains(a.text("message"), name) {
			t.Errorf("%s: %d %s, want invalid_request on %s", body, a.status, a.raw, field)
		}
		if a := s.send(strings.Replace(body, "{", `{"dryRun":true,`, 1)); a.status != 400 || a.text("field") != field {
			t.Errorf("dry: %s: %d %s", body, a.status, a.raw)
		}
	}
	if a := s.send(sms + `,"tags":"geheim-1","to_":"geheim-2"}`); a.status != 400 || strings.Contains(a.raw, "geheim") || strings.Contains(a.raw, "to_") {
		t.Errorf("what was sent is repeated: %s", a.raw)
	}
	if s.countRows() != before || len(s.Gateway.Calls()) != 0 {
		t.Error("something was stored or sent")
	}
}

func TestStrange_InABatch(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	a := s.batch(`{"messages":[` + sms + `,"tags":1},` + sms + `,"scheduled_at":"2026-03-05"},` + good + `],"continueOnError":true,"source":"x","template":"y"}`)
	if got := fmt.Sprint(items(a), warned(t, a.body)); got != "[200 SENT 400 invalid_request 200 SENT] [unknown_member source]" {
		t.Fatalf("got %s: %s", got, a.raw)
	}
	results := a.body["results"].([]any)
	if got := warned(t, results[0].(map[string]any)); !slices.Equal(got, []string{"unknown_member tags"}) {
		t.Errorf("the first item is warned of %v", got)
	}
	if item := results[1].(map[string]any); item["field"] != "scheduledAt" {
		t.Errorf("the second item: %v", item)
	}
	before := s.countRows()
	for member, field := range map[string]string{
		`"channel":"sms"`: "channel", `"scheduledAt":"2026-03-05"`: "scheduledAt", `"metadata":{"a":"b"}`: "metadata", `"to":null`: "to", `"dryRun":true`: "dryRun", `"sensitive":true`: "sensitive",
		`"scheduled_at":"2026-03-05"`: "scheduledAt", `"schedule":"2026-03-05"`: "scheduledAt", `"continue_on_error":true`: "continueOnError", `"ContinueOnError":true`: "continueOnError", `"sandbox_webhooks":false`: "sandboxWebhooks",
	} {
		if a := s.batch(`{"messages":[` + good + `],` + member + `}`); a.status != 400 || a.text("code") != "invalid_request" || a.text("field") != field {
			t.Errorf("%s: %d %s, want invalid_request on %s", member, a.status, a.raw, field)
		}
	}
	if s.countRows() != before {
		t.Error("something was stored")
	}
}

func TestStrange_InAReply(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "business")
	s.Receive(t, awa, "1", "Bonjour")
	path := s.conversationWith(awa) + "/reply"
	if a := s.inbox("POST", path, `{"text":"x","tags":1}`); a.status != 200 || fmt.Sprint(warned(t, a.body)) != "[unknown_member tags]" {
		t.Errorf("got %d %s", a.status, a.raw)
	}
	for body, field := range map[string]string{`{"Text":"x"}`: "text", `{"message":"x"}`: "text", `{"text":"x","idempotency_key":"k"}`: "idempotencyKey"} {
		if a := s.inbox("POST", path, body); a.status != 400 || a.text("field") != field {
			t.Errorf("%s: %d %s", body, a.status, a.raw)
		}
	}
}
