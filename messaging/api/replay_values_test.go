package api_test

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/openapi"
)

// fieldsOf lists the fields of a schema of openapi/messaging.yaml.
func fieldsOf(t *testing.T, schema string) []string {
	t.Helper()
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := yaml.Unmarshal(openapi.Messaging(), &document); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(document.Components.Schemas[schema].Properties))
}

// long returns a JSON text of n characters.
func long(n int) string { return `"` + strings.Repeat("x", n) + `"` }

// wrongValues returns, for each field of a send, values of the right type for which a first request is refused, with
// the other fields that they need.
func wrongValues() map[string][]string {
	const auto, mail = `"channel":"auto"`, `"to":"awa@example.com","channel":"email"`
	return map[string][]string{
		"to":              {`"to":""`, `"to":"nonsense"`, `"to":null`, `"to":"1"`, `"channel":"email","to":"nonsense"`},
		"channel":         {`"channel":""`, `"channel":"fax"`, `"channel":null`, `"channel":"SMS"`},
		"message":         {`"message":""`, `"message":null`, `"message":` + long(1531), `"channel":"whatsapp","message":` + long(4097)},
		"html":            {mail + `,"html":` + long(200_001)},
		"subject":         {mail + `,"subject":` + long(256), mail + `,"subject":"a\nb"`},
		"preset":          {`"preset":"nonsense"`, `"preset":"otp"`, `"preset":"order_shipped","presetVariables":null`},
		"presetVariables": {`"preset":"otp","presetVariables":{}`, `"preset":"otp","presetVariables":{"code":` + long(121) + `}`, `"preset":"otp","presetVariables":{"code":"1","locale":"de"}`},
		"senderId":        {`"senderId":"snd_x"`, `"senderId":" "`},
		"scheduledAt":     {`"scheduledAt":"2100-01-01"`, `"sensitive":true,"scheduledAt":"2026-03-05"`},
		"expiresAt":       {`"expiresAt":"2000-01-01"`, `"expiresAt":"2100-01-01"`},
		"mediaUrl":        {`"mediaUrl":"https://example.com/a.png"`, `"channel":"whatsapp","mediaUrl":"nonsense"`, `"channel":"whatsapp","mediaUrl":"ftp://example.com/a.png"`, `"channel":"whatsapp","mediaUrl":` + long(2049)},
		"caption":         {`"caption":"x"`},
		"groupId":         {`"groupId":"120363000000000001@g.us"`, `"channel":"whatsapp","groupId":"nonsense"`},
		"retry":           {`"retry":{"maxAttempts":0}`, `"retry":{"maxAttempts":-1}`, `"retry":{"maxAttempts":11}`, `"retry":{"maxAttempts":0,"delayMs":0}`, `"retry":{"delayMs":0}`, `"retry":{"delayMs":99}`, `"retry":{"delayMs":-9223372036854775808}`, `"retry":{"delayMs":-9223372036854}`, `"retry":{"delayMs":9223372036854775807}`, `"retry":{"delayMs":3600001}`},
		"fallbackAfter":   {auto + `,"fallbackAfter":0`, auto + `,"fallbackAfter":-1`, auto + `,"fallbackAfter":90000`, auto + `,"fallbackAfter":9223372036854775807`, auto + `,"fallbackAfter":-9223372036854775808`, `"fallbackAfter":0`, `"fallbackAfter":60`},
		"email":           {`"email":"awa@example.com"`, auto + `,"email":"nonsense"`},
		"metadata":        {`"metadata":{"":"x"}`, `"metadata":{"a":` + long(4097) + `}`, `"metadata":{" ":""}`},
		"whatsapp": {
			`"whatsapp":{"template":{"name":"x","language":"fr"}}`, `"channel":"whatsapp","whatsapp":{"template":{"name":"","language":""}}`, `"channel":"whatsapp","whatsapp":{"interactive":{}}`,
			`"channel":"whatsapp","whatsapp":{"template":{"name":"x","language":"fr","buttons":[{"index":-1,"type":"url","value":"x"}]}}`, `"channel":"whatsapp","whatsapp":{"template":{},"interactive":{}}`,
		},
		"sensitive": {`"sensitive":true,"scheduledAt":"2026-03-05"`, `"channel":"whatsapp","sensitive":true,"groupId":"120363000000000001@g.us"`},
	}
}

// wrongTypes returns values of a wrong type for each field of a send. They are refused with any key.
func wrongTypes() map[string][]string {
	out := map[string][]string{
		"scheduledAt": {`"scheduledAt":"soon"`, `"scheduledAt":""`}, "expiresAt": {`"expiresAt":"soon"`}, "idempotencyKey": {`"idempotencyKey":""`},
		"retry":           {`"retry":1`, `"retry":"x"`, `"retry":[]`, `"retry":{"maxAttempts":"2"}`, `"retry":{"maxAttempts":1.5}`, `"retry":{"delayMs":1e30}`},
		"fallbackAfter":   {`"fallbackAfter":1.5`, `"fallbackAfter":9223372036854775808`},
		"metadata":        {`"metadata":{"a":1}`, `"metadata":{"a":null}`},
		"presetVariables": {`"presetVariables":{"code":1}`},
		"whatsapp":        {`"whatsapp":{"template":1}`, `"whatsapp":{"template":{"buttons":[{"index":"1"}]}}`},
	}
	for _, name := range []string{"to", "channel", "message", "html", "subject", "sandbox", "senderId", "idempotencyKey", "sensitive", "sandboxWebhooks", "preset", "presetVariables", "mediaUrl", "caption", "scheduledAt", "expiresAt", "groupId", "metadata", "dryRun", "email", "whatsapp", "fallbackAfter"} {
		for _, v := range []string{`1`, `"x"`, `[]`, `{}`} {
			object, text, number := name == "metadata" || name == "whatsapp" || name == "presetVariables", !strings.Contains(" sandbox sensitive sandboxWebhooks dryRun fallbackAfter ", " "+name+" "), name == "fallbackAfter"
			if v == `{}` && object || v == `"x"` && text && !object || v == `1` && number {
				continue
			}
			out[name] = append(out[name], `"`+name+`":`+v)
		}
	}
	return out
}

// withFields returns the body of a send with the fields, which replace those of the valid body.
func withFields(key, fields string) string {
	body := `{"idempotencyKey":"` + key + `"`
	for name, field := range map[string]string{"to": `"to":"22376000001"`, "channel": `"channel":"sms"`, "message": `"message":"x"`} {
		if !strings.Contains(fields, `"`+name+`":`) {
			body += "," + field
		}
	}
	if strings.Contains(fields, `"idempotencyKey":`) {
		body = strings.Replace(body, `"idempotencyKey":"`+key+`",`, "", 1)
	}
	return body + "," + fields + "}"
}

// The response to a replay is sent before the values of its fields are checked, for any field (M74). An unreadable body is refused.
// Rules: M74.
func TestReplays_AreAnsweredBeforeAnyValueIsJudged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		plain := httptest.NewServer(s.api.Handler()) // the document has only the values that a first request can have
		t.Cleanup(plain.Close)
		s.URL = plain.URL
		first := s.send(withFields("k", `"subject":"x"`))
		s.wants(first, 200, "")
		stored := s.countRows()

		values, types := wrongValues(), wrongTypes()
		withoutWrong := []string{"idempotencyKey", "sandbox", "sandboxWebhooks", "dryRun", "template", "buttons"} // any value of the type is valid, or the field is not one of the message
		for _, field := range fieldsOf(t, "SendRequest") {
			if len(values[field]) == 0 && !slices.Contains(withoutWrong, field) {
				t.Errorf("no wrong value of %s is tried", field)
			}
			for _, fields := range values[field] {
				if a := s.send(withFields("new", fields)); a.status != 400 && a.status != 404 {
					t.Errorf("%.80s: a first request is %d %s, want a refusal", fields, a.status, a.raw)
				}
				if a := s.send(withFields("k", fields)); a.status != 200 || a.body["deduplicated"] != true || a.body["payloadMismatch"] != true || a.text("messageId") != first.text("messageId") {
					t.Errorf("%.80s: a replay is %d %s, want 200 with the stored message", fields, a.status, a.raw)
				}
				batch := s.batch(`{"continueOnError":true,"messages":[` + withFields("k", fields) + `,` + withFields("new", fields) + `]}`)
				if got := items(batch); len(got) != 2 || got[0] != "200 replay" || !strings.HasPrefix(got[1], "40") {
					t.Errorf("%.80s: a batch is %s, want a replay and a refusal", fields, batch.raw)
				}
			}
			if len(types[field]) == 0 && field != "template" && field != "buttons" {
				t.Errorf("no wrong type of %s is tried", field)
			}
			for _, fields := range types[field] {
				if a := s.send(withFields("k", fields)); a.status != 400 {
					t.Errorf("%s: a replay that can't be read is %d %s, want 400", fields, a.status, a.raw)
				}
				if got := items(s.batch(`{"messages":[` + withFields("k", fields) + `]}`)); len(got) != 1 || !strings.HasPrefix(got[0], "400") {
					t.Errorf("%s: a batch is %s, want 400", fields, got)
				}
			}
		}
		dry := s.batch(`{"continueOnError":true,"messages":[` + withFields("k", `"dryRun":true`) + `,` + withFields("new", `"dryRun":true`) + `]}`)
		if got := fmt.Sprint(items(dry)); got != "[200 replay 400 invalid_request]" || !strings.Contains(dry.raw, `"field":"dryRun"`) {
			t.Errorf("dryRun in a batch: got %s", dry.raw)
		}
		if s.countRows() != stored || len(s.Gateway.Calls()) != 1 {
			t.Errorf("%d rows were stored, and %d messages sent; want none, and 1", s.countRows()-stored, len(s.Gateway.Calls()))
		}
	})
}

// The rules for sends also apply to codes, replies, and the assistant's replies.
// Rules: M74.
func TestReplays_OfCodesAndRepliesAreAnsweredBeforeAnyValueIsJudged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		s.Receive(t, awa, "1", "Bonjour")
		path := s.conversationWith(awa)
		conversation := strings.TrimPrefix(path, "conversations/")
		plain := httptest.NewServer(s.api.Handler())
		t.Cleanup(plain.Close)
		s.URL = plain.URL
		code := s.otp("send", `{"to":"22376000001","idempotencyKey":"code"}`)
		s.wants(code, 200, "")
		reply := s.inbox("POST", path+"/reply", `{"text":"Un","idempotencyKey":"reply"}`)
		s.wants(reply, 200, "")
		calls := len(s.Gateway.Calls())

		for _, field := range []string{
			`"to":""`, `"to":"nonsense"`, `"to":"1"`, `"to":"22376000001","channel":"email"`, `"to":"22376000001","channel":""`, `"to":"22376000001","app":` + long(101), `"to":"22376000001","locale":"de"`,
			`"to":"22376000001","length":0`, `"to":"22376000001","length":99`, `"to":"22376000001","length":-9223372036854775808`, `"to":"22376000001","ttlSeconds":0`, `"to":"22376000001","ttlSeconds":9223372036854775807`,
		} {
			if a := s.otp("send", `{`+field+`,"idempotencyKey":"new"}`); a.status != 400 {
				t.Errorf("%.60s: a first code is %d %s, want 400", field, a.status, a.raw)
			}
			if a := s.otp("send", `{`+field+`,"idempotencyKey":"code"}`); a.status != 200 || a.body["deduplicated"] != true || a.body["payloadMismatch"] != true || a.text("challengeId") != code.text("challengeId") {
				t.Errorf("%.60s: a replay of a code is %d %s, want 200 with the challenge", field, a.status, a.raw)
			}
		}
		for _, field := range []string{`"to":1`, `"length":"6"`, `"length":1.5`, `"ttlSeconds":true`, `"app":[]`, `"locale":1`, `"channel":1`, `"retry":true`} {
			if a := s.otp("send", `{`+field+`,"idempotencyKey":"code"}`); a.status != 400 {
				t.Errorf("%s: a replay of a code that can't be read is %d %s, want 400", field, a.status, a.raw)
			}
		}

		for _, fields := range []string{`"text":""`, `"text":" \n"`, `"text":` + long(4097), `"text":"x","replyTo":"nonsense"`, `"text":"x","replyTo":` + long(65), `"replyTo":""`, `"replyTo":"nonsense"`} {
			if a := s.inbox("POST", path+"/reply", `{`+fields+`,"idempotencyKey":"new"}`); a.status != 400 || a.text("field") != "text" && a.text("field") != "replyTo" {
				t.Errorf("%.60s: a first reply is %d %s, want 400", fields, a.status, a.raw)
			}
			if a := s.inbox("POST", path+"/reply", `{`+fields+`,"idempotencyKey":"reply"}`); a.status != 200 || a.body["payloadMismatch"] != true || a.text("messageId") != reply.text("messageId") {
				t.Errorf("%.60s: a replay of a reply is %d %s, want 200 with the stored message", fields, a.status, a.raw)
			}
			if text, failed := s.result(s.assistant("reply", `{"conversationId":"`+conversation+`",`+fields+`,"idempotencyKey":"new"}`)); !failed || !strings.Contains(text, `"code":"invalid_request"`) {
				t.Errorf("%.60s: a first reply of the assistant is %s, want invalid_request", fields, text)
			}
			if text, failed := s.result(s.assistant("reply", `{"conversationId":"`+conversation+`",`+fields+`,"idempotencyKey":"reply"}`)); failed || !strings.Contains(text, `"payloadMismatch":true`) {
				t.Errorf("%.60s: a replay of the assistant's reply is %s, want the stored message", fields, text)
			}
		}
		for _, fields := range []string{`"text":1`, `"text":"x","replyTo":1`, `"text":"x","message":"x"`} {
			if a := s.inbox("POST", path+"/reply", `{`+fields+`,"idempotencyKey":"reply"}`); a.status != 400 {
				t.Errorf("%s: a replay of a reply that can't be read is %d %s, want 400", fields, a.status, a.raw)
			}
			if a := s.assistant("reply", `{"conversationId":"`+conversation+`",`+fields+`,"idempotencyKey":"reply"}`); !strings.Contains(a.raw, "invalid_request") && !strings.Contains(a.raw, `"error"`) {
				t.Errorf("%s: the assistant's replay that can't be read is %s, want an error", fields, a.raw)
			}
		}
		if a := s.assistant("reply", `{"conversationId":"`+conversation+`","text":"","idempotencyKey":""}`); !strings.Contains(a.raw, "invalid_idempotency_key") {
			t.Errorf("an invalid key is judged first: %s", a.raw)
		}
		if len(s.Gateway.Calls()) != calls {
			t.Errorf("%d messages were sent, want none", len(s.Gateway.Calls())-calls)
		}
	})
}
