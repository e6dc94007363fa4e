package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// The response to a replay is 200 with the stored message, whatever its status, even if the first response was 202.
// Rules: M67, M69.
func TestReplays_AreAnsweredByTheStoredMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		for _, tt := range []struct {
			members, status string
			code            int
		}{
			{``, "SENT", 200},
			{`,"scheduledAt":"2026-03-05T12:00:00Z"`, "SCHEDULED", 202},
			{`,"sandbox":true`, "SANDBOX", 200},
		} {
			body := fmt.Sprintf(`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":%q%s}`, tt.status, tt.members)
			first, again := s.send(body), s.send(body)
			if first.status != tt.code || first.text("status") != tt.status || first.body["deduplicated"] != nil {
				t.Errorf("first: got %d %s, want %d %s", first.status, first.raw, tt.code, tt.status)
			}
			if again.status != 200 || again.text("status") != tt.status || again.body["deduplicated"] != true || again.text("messageId") != first.text("messageId") || again.body["messagesUsed"] != first.body["messagesUsed"] {
				t.Errorf("replay: got %d %s, want 200 %s of %s", again.status, again.raw, tt.status, first.raw)
			}
		}
		if n := len(s.Gateway.Calls()); n != 1 {
			t.Errorf("%d messages were handed over, want 1", n)
		}
	})
}

// An expired message has failed. A program that repeats its request must not treat the response as a success.
// Rules: M68.
func TestReplays_AnExpiredMessageHasFailed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		const body = `{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"k","scheduledAt":"2026-03-05T13:00:00Z","expiresAt":"2026-03-05T14:00:00Z"}`
		first := s.send(body)
		s.wants(first, 202, "")
		id := first.text("messageId")
		canceled := s.send(strings.Replace(body, `"k"`, `"c"`, 1)).text("messageId")
		s.wants(s.do("POST", "/api/messages/"+canceled+"/cancel", "", "X-API-Key: "+s.LiveKey), 200, "")
		s.Clock.Advance(7 * 24 * time.Hour)
		s.Becomes(t, id, message.Expired)

		again := s.send(body)
		s.wants(again, 409, "message_failed")
		if again.text("messageId") != id || again.text("status") != "EXPIRED" {
			t.Errorf("replay: got %s, want the id %s and EXPIRED", again.raw, id)
		}
		if a := s.send(strings.Replace(body, `"k"`, `"c"`, 1)); a.status != 200 || a.text("status") != "CANCELED" || a.body["deduplicated"] != true {
			t.Errorf("replay of a canceled message: got %d %s, want 200 CANCELED", a.status, a.raw)
		}
		batch := s.batch(`{"messages":[` + body + `,` + good + `]}`)
		if got := fmt.Sprint(items(batch)); got != "[409 message_failed 424 skipped]" || batch.body["success"] != false || !strings.Contains(batch.raw, `"status":"EXPIRED"`) {
			t.Errorf("replay in a batch: got %s, want it refused with 409 message_failed, EXPIRED", batch.raw)
		}
		status := s.do("GET", "/api/status/"+id, "", "X-API-Key: "+s.LiveKey)
		if e, ok := status.body["error"].(map[string]any); !ok || e["code"] != "expired" || e["message"] != "The message was not delivered in time." {
			t.Errorf("its error is %v, want expired, which blames no gateway", status.body["error"])
		}
		if n := len(s.Gateway.Calls()); n != 0 {
			t.Errorf("%d calls of the gateway, want none", n)
		}
	})
}

// With a known key, values are not checked, but an unreadable body is refused.
// Rules: M74.
func TestReplays_OfWhatCannotBeRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		first := s.send(`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"k"}`)
		s.wants(first, 200, "")
		for _, body := range []string{
			`{"to":"22376000001","channel":"sms","message":"x","senderId":"snd_x","idempotencyKey":"k"}`,
			`{"to":"22376000001","channel":"sms","preset":"otp","idempotencyKey":"k"}`,
			`{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"2030-01-01","idempotencyKey":"k"}`,
		} {
			if a := s.send(body); a.status != 200 || a.body["deduplicated"] != true || a.body["payloadMismatch"] != true || a.text("messageId") != first.text("messageId") {
				t.Errorf("%.90s: got %d %s, want a replay", body, a.status, a.raw)
			}
		}
		if a := s.send(`{"to":"+22376000001","channel":"sms","message":"x","idempotencyKey":"k"}`); a.body["deduplicated"] != true || a.body["payloadMismatch"] != nil {
			t.Errorf("the same number with its plus: %s, want no mismatch", a.raw)
		}
		for body, code := range map[string]string{
			`{"to":1,"channel":"sms","idempotencyKey":"k"}`:                                                       "invalid_request",
			`{"To":"22376000001","channel":"sms","idempotencyKey":"k"}`:                                           "invalid_request",
			`{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"soon","idempotencyKey":"k"}`:        "invalid_request",
			`{"to":"22376000001","channel":"sms","message":"x","retry":{"maxAttempts":"2"},"idempotencyKey":"k"}`: "invalid_request",
			`{"to":"22376000001","to":"22376000001","channel":"sms","message":"x","idempotencyKey":"k"}`:          "invalid_json",
		} {
			s.wants(s.send(body), 400, code)
		}
	})
}

// Rules: M80.
func TestSend_RecipientLimitAndItsBody(t *testing.T) {
	s := serve(t, messagingtest.New(t, dbtest.SQLite(t), "free", func(a *account.Spec) { a.RecipientCap = 2 }))
	for range 2 {
		s.wants(s.send(good), 200, "")
	}
	a := s.send(good)
	if s.wants(a, 429, "recipient_limit_reached"); a.body["recipientLimit"] != 2.0 || a.header.Get("Retry-After") != "43200" {
		t.Errorf("got %s, Retry-After %q; want the limit of 2, and the 12 hours until midnight", a.raw, a.header.Get("Retry-After"))
	}
	s.wants(s.send(`{"to":"22376000002","channel":"sms","message":"x"}`), 200, "")
}

// The account and its projects share one quota, which restarts at midnight.
// Rules: M81.
func TestQuota_IsOneForAllProjects(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		keys := []string{s.LiveKey}
		for _, name := range []string{"one", "two"} {
			p, err := s.Directory.CreateProject(t.Context(), s.Account.ID, name)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, s.Key(t, s.Account.ID, p.ID, account.ProjectKey))
		}
		send := func(n int) *answer { return s.do("POST", "/api/send", good, "X-API-Key: "+keys[n%len(keys)]) }
		for n := range 10 {
			if a := send(n); a.status != 200 || a.body["messagesUsed"] != float64(n+1) {
				t.Fatalf("message %d: %d %s", n+1, a.status, a.raw)
			}
		}
		for n := range keys {
			s.wants(send(n), 429, "quota_exceeded")
		}
		s.Clock.Advance(12 * time.Hour)
		if a := send(1); a.status != 200 || a.body["messagesUsed"] != 1.0 {
			t.Errorf("on the next day: %d %s", a.status, a.raw)
		}
	})
}

// The default sizes of lists, pages, and samples.
// Rules: M116, M119, M126.
func TestLists_HaveTheirSizes(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "business")
	grow(t, s.World, s.Account.ID, 0, 600, 1000)
	live := "X-API-Key: " + s.LiveKey
	for query, want := range map[string]float64{"": 200, "?sample=": 200, "?sample=50": 50, "?sample=500": 500} {
		if a := s.do("GET", "/api/svc-analytics"+query, "", live); a.body["sampleSize"] != want {
			t.Errorf("analytics%s: a sample of %v, want %v", query, a.body["sampleSize"], want)
		}
	}
	for query, want := range map[string]float64{"": 50, "?limit=": 50, "?limit=1": 1, "?limit=200": 200} {
		if a := s.do("GET", "/api/svc-logs"+query, "", live); a.body["count"] != want {
			t.Errorf("logs%s: %v messages, want %v", query, a.body["count"], want)
		}
	}
	for n := range 101 {
		s.Receive(t, fmt.Sprintf("2238%07d", n), fmt.Sprint("a", n), "Bonjour")
		s.Receive(t, awa, fmt.Sprint("b", n), "Bonjour")
	}
	path := s.conversationWith(awa) + "/messages"
	for list, address := range map[string]string{"conversations": "conversations", "messages": path} {
		for query, want := range map[string]int{"": 50, "?limit=": 50, "?limit=1": 1, "?limit=100": 100} {
			a := s.inbox("GET", address+query, "")
			if items, _ := a.body[list].([]any); len(items) != want || a.text("nextCursor") == "" {
				t.Errorf("%s%s: %d of more than 100, want %d and a cursor: %d %.200s", list, query, len(items), want, a.status, a.raw)
			}
		}
	}
}

// A simulated send posts the events of a real one, unless the request disables them.
// Rules: M88.
func TestSandbox_PostsItsEvents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.SetWebhook(t, "https://example.com/hook")
		for members, want := range map[string]int{
			``: 2, `,"sandboxWebhooks":true`: 2, `,"sandboxWebhooks":null`: 2, `,"sandboxWebhooks":false`: 0,
		} {
			before := s.Int(t, `SELECT count(*) FROM webhook_events`)
			s.wants(s.send(sms+`,"sandbox":true`+members+`}`), 200, "")
			if n := s.Int(t, `SELECT count(*) FROM webhook_events`) - before; n != want {
				t.Errorf("%q: %d events, want %d", members, n, want)
			}
		}
		before := s.Int(t, `SELECT count(*) FROM webhook_events`)
		s.wants(s.send(sms+`,"sandboxWebhooks":false}`), 200, "")
		if n := s.Int(t, `SELECT count(*) FROM webhook_events`) - before; n == 0 {
			t.Error("a real send has no event, though sandboxWebhooks is for simulated ones")
		}
	})
}

// If a client disconnects while the gateway is being called, the message is still sent, once.
// Rules: M52.
func TestSend_WhoHangsUpCancelsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		release := s.Hold(t)
		ctx, hangUp := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/send", strings.NewReader(good))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", s.LiveKey)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "k")
		ended := make(chan error, 1)
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err == nil {
				_ = res.Body.Close()
			}
			ended <- err
		}()
		s.WaitForCalls(t, 1)
		hangUp()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatalf("the request ended with %v, want %v", err, context.Canceled)
		}
		release()
		again := s.send(good, "Idempotency-Key: k")
		s.wants(again, 200, "")
		s.Becomes(t, again.text("messageId"), "SENT")
		if n := len(s.Gateway.Calls()); again.body["deduplicated"] != true || n != 1 {
			t.Errorf("the same request again: %s, and %d calls of the gateway; want a replay, and one call", again.raw, n)
		}
	})
}
