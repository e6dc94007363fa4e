package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func (s *service) batch(body string, headers ...string) *answer {
	s.t.Helper()
	return s.do("POST", "/api/send/batch", body, append([]string{"Authorization: Bearer " + s.LiveKey}, headers...)...)
}

// items returns a batch's results as "httpStatus code-or-status".
func items(a *answer) (out []string) {
	results, _ := a.body["results"].([]any)
	for _, r := range results {
		item, _ := r.(map[string]any)
		word := item["code"]
		if item["success"] == true {
			if word = item["status"]; item["deduplicated"] == true {
				word = "replay"
			}
		}
		out = append(out, fmt.Sprint(item["httpStatus"], " ", word))
	}
	return out
}

const (
	good    = `{"to":"22376000001","channel":"sms","message":"x"}`
	bad     = `{"to":"1","channel":"sms","message":"x"}`
	keyed   = `{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"own"}`
	later   = `{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"2026-03-05"}`
	refused = `{"to":"22376000001","channel":"sms","message":"x","mediaUrl":"https://example.com/x.png"}`
)

// Rules: M59, M60, M61, M63.
func TestBatch_ItemByItem(t *testing.T) {
	for name, tc := range map[string]struct {
		messages, more string
		want           string
		counts         string
	}{
		"good ones":           {good + "," + later, "", "[200 SENT 202 SCHEDULED]", "2 0 0"},
		"a wrong one":         {good + "," + bad + "," + good, "", "[200 SENT 400 invalid_phone 424 skipped]", "1 1 1"},
		"a wrong one, on":     {good + "," + bad + "," + good, `,"continueOnError":true`, "[200 SENT 400 invalid_phone 200 SENT]", "2 1 0"},
		"not objects":         {`1,"x",[],` + good, `,"continueOnError":true`, "[400 invalid_json 400 invalid_json 400 invalid_json 200 SENT]", "1 3 0"},
		"media by SMS":        {refused + "," + good, `,"continueOnError":true`, "[400 media_not_supported 200 SENT]", "1 1 0"},
		"a bad key":           {strings.Replace(keyed, "own", `\u0007`, 1) + "," + good, `,"continueOnError":true`, "[400 invalid_idempotency_key 200 SENT]", "1 1 0"},
		"a key twice":         {keyed + "," + keyed, "", "[200 SENT 200 replay]", "2 0 0"},
		"the key of the item": {keyed + "," + good, `,"idempotencyKey":"own"`, "[200 SENT 200 SENT]", "2 0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				s := newService(t, d, "business")
				a := s.batch(`{"messages":[` + tc.messages + `]` + tc.more + `}`)
				if got := fmt.Sprint(items(a)); a.status != 200 || got != tc.want {
					t.Fatalf("got %d %s\n%s", a.status, got, a.raw)
				}
				if got := fmt.Sprint(a.body["accepted"], " ", a.body["failed"], " ", a.body["skipped"]); got != tc.counts || a.body["success"] != strings.Contains(tc.counts, " 0 ") {
					t.Errorf("counts %s, success %v", got, a.body["success"])
				}
			})
		})
	}
}

// Rules: M58, M61.
func TestBatch_Envelope(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		before := s.countRows()
		for name, tc := range map[string]struct{ body, header, code string }{
			"no messages":          {`{}`, "", "invalid_request"},
			"an empty list":        {`{"messages":[]}`, "", "invalid_request"},
			"no list":              {`{"messages":{}}`, "", "invalid_request"},
			"101 messages":         {`{"messages":[` + strings.Repeat(good+",", 100) + good + `]}`, "", "batch_too_large"},
			"two keys":             {`{"messages":[` + good + `],"idempotencyKey":"a"}`, "b", "idempotency_mismatch"},
			"another item's key":   {`{"messages":[` + good + `,` + keyed + `]}`, "batch", "idempotency_mismatch"},
			"of a malformed item":  {`{"messages":[` + good + `,{"to":1,"idempotencyKey":"own"}],"continueOnError":true}`, "batch", "idempotency_mismatch"},
			"of a misspelled item": {`{"messages":[{"To":"22376000001","idempotencyKey":"own"},` + good + `],"idempotencyKey":"batch"}`, "", "idempotency_mismatch"},
			"of no valid key":      {`{"messages":[{"idempotencyKey":"\u0007"},` + good + `]}`, "batch", "idempotency_mismatch"},
			"an empty key":         {`{"messages":[` + good + `],"idempotencyKey":""}`, "", "invalid_idempotency_key"},
			"U+0000 somewhere":     {`{"messages":[` + strings.Replace(good, "x", `\u0000`, 1) + `]}`, "", "invalid_json"},
			"a lone surrogate":     {`{"messages":[` + strings.Replace(good, "x", `\ud800`, 1) + `]}`, "", "invalid_json"},
			"an item's key twice":  {`{"messages":[` + strings.Replace(keyed, "{", `{"idempotencyKey":"a",`, 1) + `]}`, "", "invalid_json"},
			"Messages in capitals": {`{"Messages":[` + good + `]}`, "", "invalid_request"},
			"continueOnError text": {`{"messages":[` + good + `],"continueOnError":"yes"}`, "", "invalid_request"},
		} {
			var headers []string
			if tc.header != "" {
				headers = append(headers, "Idempotency-Key: "+tc.header)
			}
			if a := s.batch(tc.body, headers...); a.status != 400 || a.text("code") != tc.code {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
		}
		if a, want := s.batch(`{"messages":[`+good+`,`+keyed+`]}`, "Idempotency-Key: batch"), "messages[1] and the batch have different idempotency keys. Nothing was sent."; a.text("message") != want {
			t.Errorf("got %q, want %q", a.text("message"), want)
		}
		if s.countRows() != before || len(s.Gateway.Calls()) != 0 {
			t.Error("something was stored or sent")
		}
		a := s.batch(`{"messages":[` + strings.Repeat(good+",", 99) + good + `]}`)
		if a.status != 200 || a.body["accepted"] != float64(100) || a.body["messagesUsed"] != float64(100) {
			t.Errorf("100 messages: %d %s %s", a.status, a.text("code"), items(a))
		}
		s.wants(s.do("POST", "/api/send/batch", `{}`), 401, "unauthorized")
	})
}

// Rules: M59, M60, M62.
func TestBatch_KeysByPlace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		body := `{"messages":[` + good + "," + good + `]}`
		first := s.batch(body, "Idempotency-Key: orders")
		again := s.batch(body, "Idempotency-Key: orders")
		if got := fmt.Sprint(items(first), items(again)); got != "[200 SENT 200 SENT] [200 replay 200 replay]" {
			t.Errorf("got %s", got)
		}
		if a := s.send(good, "Idempotency-Key: orders:1"); a.body["deduplicated"] != true {
			t.Errorf("the second item's key: %s", a.raw)
		}
		if n := len(s.Gateway.Calls()); n != 2 {
			t.Errorf("%d messages sent", n)
		}
		s.Gateway.FailWith(gateway.Permanent, "refused")
		failed := s.batch(`{"messages":[` + good + "," + good + `]}`)
		if got := fmt.Sprint(items(failed)); got != "[502 provider_error 502 provider_error]" { // accepted and failed later, so nothing is skipped
			t.Errorf("got %s", got)
		}
		if !strings.Contains(failed.raw, `"messageId":"msg_`) || !strings.Contains(failed.raw, `"status":"FAILED"`) {
			t.Errorf("got %s", failed.raw)
		}
	})
}
