package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const withMetadata = `{"to":"+22376000001","channel":"sms","message":"x","metadata":{"order":"42","say \"hi\"":"<é>\\"}}`

// metadataOf returns a response's field metadata as JSON.
func metadataOf(t *testing.T, body map[string]any) string {
	t.Helper()
	b, err := json.Marshal(body["metadata"])
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Rules: M41, M55.
func TestMetadata_IsStoredAndReturned(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		s.SetWebhook(t, "https://example.com/hook")
		id := s.send(withMetadata).text("messageId")
		if err := s.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptDelivered}); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Millisecond)
		plain := s.send(good).text("messageId")
		const want = `{"order":"42","say \"hi\"":"\u003cé\u003e\\"}`
		if got := metadataOf(t, s.do("GET", "/api/status/"+id, "", "X-API-Key: "+s.LiveKey).body); got != want {
			t.Errorf("status has %s, want %s", got, want)
		}
		if got := metadataOf(t, s.do("GET", "/api/status/"+plain, "", "X-API-Key: "+s.LiveKey).body); got != "null" {
			t.Errorf("status of a message without any has %s, want null", got)
		}
		logs := s.do("GET", "/api/svc-logs?to=22376000001", "", "X-API-Key: "+s.LiveKey)
		if items, _ := logs.body["logs"].([]any); len(items) != 2 || metadataOf(t, items[1].(map[string]any)) != want || metadataOf(t, items[0].(map[string]any)) != "null" {
			t.Errorf("logs have %s", logs.raw)
		}
		var bodies []string
		events := s.do("GET", "/api/webhooks/events", "", "X-API-Key: "+s.LiveKey)
		list, _ := events.body["events"].([]any)
		for _, e := range list {
			item := e.(map[string]any)
			a := s.do("GET", "/api/webhooks/events/"+item["eventId"].(string), "", "X-API-Key: "+s.LiveKey)
			if strings.Contains(a.raw, id) {
				bodies = append(bodies, a.raw)
			}
		}
		if len(bodies) != 2 {
			t.Fatalf("%d events of the message, want 2: %s", len(bodies), events.raw)
		}
		for _, b := range bodies {
			if !strings.Contains(b, `"order":"42"`) && !strings.Contains(b, `\"order\":\"42\"`) {
				t.Errorf("an event without it: %s", b)
			}
		}
	})
}

// Rules: M118.
func TestMetadata_FiltersLogs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		ids := map[string]string{}
		for name, metadata := range map[string]string{
			"42": `{"order":"42","shop":"a"}`, "420": `{"order":"420"}`, "other case": `{"Order":"42"}`, "none": `{}`, "in a value": `{"x":"\"order\":\"42\""}`, "in a name": `{"a\"order":"42","b,\"order":"42"}`,
			"odd": `{"p%_<é>\"\\]":"50%'"}`, "empty": `{"order":""}`,
		} {
			ids[name] = s.send(`{"to":"22376000001","channel":"sms","message":"x","metadata":` + metadata + `}`).text("messageId")
		}
		for query, want := range map[string][]string{
			"metadata[order]=42":                  {ids["42"]},
			"metadata[order]=42&metadata[shop]=a": {ids["42"]},
			"metadata%5Border%5D=42&status=SENT":  {ids["42"]},
			"metadata[order]=42&metadata[shop]=b": nil,
			"metadata[order]=4":                   nil,
			"metadata[orde]=42":                   nil,
			"metadata[" + url.QueryEscape(`p%_<é>"\]`) + "]=" + url.QueryEscape(`50%'`): {ids["odd"]},
		} {
			if got, _ := s.page(s.LiveKey, query); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		for _, query := range []string{"metadata[]=x", "metadata[order=x", "metadata=x", "metadata[a]=1&metadata[a]=2", "metadata[a]=%20"} {
			s.wants(s.do("GET", "/api/svc-logs?"+query, "", "X-API-Key: "+s.LiveKey), 400, "invalid_request")
		}
	})
}

// Rules: M41.
func TestMetadata_IsBounded(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	many := func(n int) string {
		var b []string
		for i := range n {
			b = append(b, fmt.Sprintf(`"k%d":"v"`, i))
		}
		return "{" + strings.Join(b, ",") + "}"
	}
	for name, tc := range map[string]struct {
		metadata string
		status   int
	}{
		"null": {`null`, 200}, "none": {`{}`, 200}, "16": {many(16), 200}, "17": {many(17), 400}, "an array": {`["a"]`, 400}, "a text": {`"a"`, 400}, "a number": {`{"a":1}`, 400}, "a null": {`{"a":null}`, 400}, "nested": {`{"a":{"b":"c"}}`, 400},
		"4096 bytes": {`{"ab":"` + strings.Repeat("é", 2047) + `"}`, 200}, "4097 bytes": {`{"abc":"` + strings.Repeat("é", 2047) + `"}`, 400}, "no name": {`{"":"x"}`, 400}, "an empty text": {`{"a":""}`, 200},
	} {
		a := s.send(`{"to":"22376000001","channel":"sms","message":"x","metadata":` + tc.metadata + `}`)
		if a.status != tc.status || tc.status == 400 && (a.text("code") != "invalid_request" || a.text("field") != "metadata") {
			t.Errorf("%s: %d %s, want %d", name, a.status, a.raw, tc.status)
		}
	}
}

// Rules: M26.
func TestMetadata_OfASensitiveMessageIsNotKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		s.SetWebhook(t, "https://example.com/hook")
		for i, body := range []string{
			`{"to":"22376000001","channel":"sms","message":"x","sensitive":true,"metadata":{"order":"84913"}}`,
			`{"to":"22376000001","channel":"sms","preset":"otp","presetVariables":{"code":"1234"},"metadata":{"order":"84913"}}`,
		} {
			a := s.send(body)
			if a.status != 200 {
				t.Fatalf("%d %s", a.status, a.raw)
			}
			status := s.do("GET", "/api/status/"+a.text("messageId"), "", "X-API-Key: "+s.LiveKey)
			if metadataOf(t, status.body) != "null" {
				t.Errorf("status of %d: %s", i, status.raw)
			}
		}
		if ids, _ := s.page(s.LiveKey, "metadata[order]=84913"); len(ids) != 0 {
			t.Errorf("logs find %v", ids)
		}
		for _, column := range []string{"body FROM webhook_events", "COALESCE(metadata, '') FROM messages", "timeline FROM messages"} {
			what, table, _ := strings.Cut(column, " FROM ")
			if n := s.Int(t, `SELECT count(*) FROM `+table+` WHERE `+what+` LIKE '%84913%'`); n != 0 {
				t.Errorf("%s holds it", column)
			}
		}
	})
}

func TestMetadata_IsPartOfWhatAReplayRepeats(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		send := func(metadata string) *answer {
			return s.send(`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"k"` + metadata + `}`)
		}
		send(`,"metadata":{"a":"1","b":"2"}`)
		if a := send(`,"metadata":{"b":"2","a":"1"}`); a.body["deduplicated"] != true || a.body["payloadMismatch"] != nil {
			t.Errorf("the same: %s", a.raw)
		}
		for _, other := range []string{``, `,"metadata":{"a":"1"}`, `,"metadata":{"a":"1","b":"3"}`} {
			if a := send(other); a.body["deduplicated"] != true || a.body["payloadMismatch"] != true {
				t.Errorf("%s: %s", other, a.raw)
			}
		}
	})
}

func TestMetadata_InABatchAndADryRun(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	a := s.batch(`{"messages":[` + withMetadata + `,` + strings.Replace(withMetadata, `"42"`, "42", 1) + `],"continueOnError":true}`)
	if got := fmt.Sprint(items(a)); got != "[200 SENT 400 invalid_request]" {
		t.Errorf("batch: %s %s", got, a.raw)
	}
	if ids, _ := s.page(s.LiveKey, "metadata[order]=42"); len(ids) != 1 {
		t.Errorf("%d messages of the batch are found, want 1", len(ids))
	}
	if a := s.send(strings.Replace(withMetadata, "{", `{"dryRun":true,`, 1)); a.status != 200 {
		t.Errorf("dry run: %d %s", a.status, a.raw)
	}
	if a := s.send(strings.Replace(withMetadata, `{"to"`, `{"dryRun":true,"metadata":{"a":1},"to"`, 1)[:60] + `}`); a.status != 400 {
		t.Errorf("a wrong dry run: %d %s", a.status, a.raw)
	}
}
