package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
)

func (s *service) owner(method, path, body string) *answer {
	s.t.Helper()
	return s.do(method, path, body, "Authorization: Bearer "+s.LiveKey)
}

// fails makes events fail, as after all their attempts.
func (s *service) fails() {
	s.t.Helper()
	s.Exec(s.t, `UPDATE webhook_events SET due_at = NULL, failed_at = $1, tries = 10`, db.Ms(s.Clock.Now()))
}

// Rules: M152, M158.
func TestWebhooks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		if a := s.owner("GET", "/api/webhooks", ""); a.status != 200 || a.body["webhook"] != nil {
			t.Errorf("got %d %s", a.status, a.raw)
		}
		s.wants(s.owner("POST", "/api/webhooks/ping", ""), 409, "webhook_not_configured")
		s.wants(s.owner("POST", "/api/webhooks/resend-failed", `{"since":"2026-03-01"}`), 409, "webhook_not_configured")
		if _, err := s.Endpoints.Set(t.Context(), s.Account.ID, "http://127.0.0.1:9/hook"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			s.send(`{"to":"22376000001","channel":"sms","message":"bonjour"}`)
			s.Clock.Advance(time.Millisecond)
		}
		ping := s.owner("POST", "/api/webhooks/ping", "")
		if ping.status != 202 || !strings.HasPrefix(ping.text("eventId"), "evt_") {
			t.Fatalf("got %d %s", ping.status, ping.raw)
		}
		hook, _ := s.owner("GET", "/api/webhooks", "").body["webhook"].(map[string]any)
		if hook["url"] != "http://127.0.0.1:9/hook" || hook["enabled"] != true || hook["pending"] != 4.0 || hook["readReceipts"] != true {
			t.Errorf("got %v", hook)
		}
		first := s.owner("GET", "/api/webhooks/events?limit=3", "")
		second := s.owner("GET", "/api/webhooks/events?limit=3&cursor="+first.text("nextCursor"), "")
		if first.body["count"] != 3.0 || second.body["count"] != 1.0 || second.body["nextCursor"] != nil {
			t.Errorf("pages %s\n%s", first.raw, second.raw)
		}
		if newest := first.body["events"].([]any)[0].(map[string]any); newest["type"] != "webhook.ping" || newest["delivery"] != "pending" {
			t.Errorf("newest %v", newest)
		}
		s.Write(t, func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO webhook_attempts (account_id, event_id, version, at, status, latency, answer, error) VALUES ($1, $2, 1, $3, 503, 12, 'no', 'status'), ($1, $2, 2, $3, NULL, 15000, '', 'timeout')`,
				s.Account.ID, ping.text("eventId"), db.Ms(s.Clock.Now()))
			return err
		})
		one := s.owner("GET", "/api/webhooks/events/"+ping.text("eventId"), "")
		if tries, _ := one.body["attempts"].([]any); len(tries) != 2 || tries[0].(map[string]any)["error"] != "timeout" || !strings.Contains(one.text("body"), `"event":"webhook.ping"`) {
			t.Errorf("got %s", one.raw)
		}
		s.fails()
		if a := s.owner("GET", "/api/webhooks/events?delivery=failed", ""); a.body["count"] != 4.0 {
			t.Errorf("got %s", a.raw)
		}
		again := s.owner("POST", "/api/webhooks/events/"+ping.text("eventId")+"/resend", "")
		if again.status != 200 || again.text("delivery") != "pending" || again.body["failedTries"] != 0.0 {
			t.Errorf("got %s", again.raw)
		}
		if a := s.owner("POST", "/api/webhooks/resend-failed", `{"since":"2026-03-04T12:00:00Z"}`); a.status != 200 || a.body["resent"] != 3.0 {
			t.Errorf("got %s", a.raw)
		}
		if err := s.Endpoints.Disable(t.Context(), s.Account.ID); err != nil {
			t.Fatal(err)
		}
		if hook, _ := s.owner("GET", "/api/webhooks", "").body["webhook"].(map[string]any); hook["enabled"] != false || hook["disabledReason"] != "operator" || hook["pending"] != 4.0 {
			t.Errorf("got %v", hook)
		}
	})
}

// Rules: M158.
func TestWebhooks_AreTheOwners(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	if _, err := s.Endpoints.Set(t.Context(), s.Account.ID, "http://127.0.0.1:9/hook"); err != nil {
		t.Fatal(err)
	}
	event := s.owner("POST", "/api/webhooks/ping", "").text("eventId")
	made, err := s.Directory.Create(t.Context(), &account.Spec{Name: "Two", Email: "two@example.com", Plan: "free", Projects: []string{"A"}})
	if err != nil {
		t.Fatal(err)
	}
	projects, err := account.Projects(s.DB.Read(t.Context()), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	other, test, project := s.Key(t, made.ID, "", account.Live), s.Key(t, s.Account.ID, "", account.Test), s.Key(t, made.ID, projects[0].ID, account.ProjectKey)
	for _, r := range []struct{ method, path, body string }{
		{"GET", "/api/webhooks", ""},
		{"GET", "/api/webhooks/events", ""},
		{"GET", "/api/webhooks/events/" + event, ""},
		{"POST", "/api/webhooks/events/" + event + "/resend", ""},
		{"POST", "/api/webhooks/resend-failed", `{"since":"2026-03-01"}`},
		{"POST", "/api/webhooks/ping", ""},
	} {
		s.wants(s.do(r.method, r.path, r.body), 401, "unauthorized")
		s.wants(s.do(r.method, r.path, r.body, "X-API-Key: "+test), 403, "live_key_required")
		s.wants(s.do(r.method, r.path, r.body, "X-API-Key: "+project), 403, "live_key_required")
	}
	s.wants(s.do("GET", "/api/webhooks/stream", ""), 401, "unauthorized")
	s.wants(s.do("GET", "/api/webhooks/stream", "", "X-API-Key: "+project), 403, "forbidden")
	for _, path := range []string{event, "evt_01KJWBG7G0NGJ7V25V1R3KGN47"} { // the same for those of other accounts and missing ones
		s.wants(s.do("GET", "/api/webhooks/events/"+path, "", "X-API-Key: "+other), 404, "event_not_found")
		s.wants(s.do("POST", "/api/webhooks/events/"+path+"/resend", "", "X-API-Key: "+other), 404, "event_not_found")
	}
	if a := s.do("GET", "/api/webhooks/events", "", "X-API-Key: "+other); a.body["count"] != 0.0 {
		t.Errorf("another account sees %s", a.raw)
	}
	for query, want := range map[string]string{"limit=0": "invalid_request limit", "limit=201": "invalid_request limit", "delivery=lost": "invalid_request delivery", "cursor=x": "invalid_cursor cursor", "cursor=evt_~": "invalid_cursor cursor"} {
		if a := s.owner("GET", "/api/webhooks/events?"+query, ""); a.status != 400 || a.text("code")+" "+a.text("field") != want {
			t.Errorf("%s: %s", query, a.raw)
		}
	}
	for _, body := range []string{`{}`, `{"since":"yesterday"}`, `{"since":null}`} {
		if a := s.owner("POST", "/api/webhooks/resend-failed", body); a.status != 400 || a.text("field") != "since" {
			t.Errorf("%s: %s", body, a.raw)
		}
	}
	for _, secret := range []string{"whsec_", "bonjour"} {
		if strings.Contains(s.Log.String(), secret) {
			t.Errorf("%s was logged", secret)
		}
	}
}

// listener reads a stream of events.
type listener struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func (l *listener) next() (name string, data map[string]string) {
	l.t.Helper()
	for l.lines.Scan() {
		line := l.lines.Text()
		if s, ok := strings.CutPrefix(line, "event: "); ok {
			name = s
		}
		if s, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(s), &data); err != nil {
				l.t.Fatal(err)
			}
			return name, data
		}
	}
	l.t.Fatalf("the stream has ended: %v", l.lines.Err())
	return "", nil
}

// streaming serves without buffering responses.
func streaming(t *testing.T, s *service) string {
	t.Helper()
	srv := httptest.NewServer(s.NewAPI(t).Handler())
	t.Cleanup(srv.Close)
	return srv.URL
}

func listen(t *testing.T, url, key, after string) (*listener, *http.Response) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/webhooks/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", key)
	req.Header.Set("Last-Event-Id", after)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, lines: bufio.NewScanner(res.Body), close: func() { _ = res.Body.Close() }}
	t.Cleanup(l.close)
	return l, res
}

// Rules: M159.
func TestWebhookStream(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited") // without an endpoint
		url := streaming(t, s)
		l, res := listen(t, url, s.LiveKey, "")
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("got %s", res.Status)
		}
		name, data := l.next()
		if _, err := webhook.ParseSecret(data["secret"]); name != "hello" || err != nil {
			t.Fatalf("it begins with %s: %v", name, err)
		}
		sent := s.send(`{"to":"22376000001","channel":"sms","message":"<bonjour> & é"}`).text("messageId")
		name, data = l.next()
		stored, err := s.Endpoints.Event(t.Context(), s.Account.ID, data["eventId"])
		if err != nil || name != "event" || data["type"] != "message.status" || !strings.Contains(data["body"], sent) || stored.Body != data["body"] || stored.Delivery != webhooks.NotSent {
			t.Errorf("%s %v, %v", name, data, err)
		}
		l.close()
		s.send(`{"to":"22376000001","channel":"sms","message":"meanwhile"}`)
		again, _ := listen(t, url, s.LiveKey, data["eventId"])
		again.next()
		if _, next := again.next(); next["eventId"] == data["eventId"] || next["type"] != "message.status" {
			t.Errorf("the next event is %v", next)
		}
		play, _ := listen(t, url, s.Key(t, s.Account.ID, "", account.Test), "")
		play.next()
		s.send(`{"to":"22376000001","channel":"sms","message":"not for test keys"}`)
		s.Write(t, func(tx *db.Tx) error {
			e := webhooks.NewPing(s.Account.ID, s.Clock.Now())
			e.Body = fmt.Sprintf(`{"event":"message.status","eventId":%q,"messageId":"sb_01KJWBG7G0NGJ7V25V1R3KGN47"}`, e.ID)
			return webhooks.Insert(tx, nil, e)
		})
		if _, next := play.next(); !strings.Contains(next["body"], "sb_") {
			t.Errorf("a test key hears %v", next)
		}
		for range 3 {
			listen(t, url, s.LiveKey, "")
		}
		waittest.Until(t, func() error { // the first one has left, but the server might not know it yet
			if _, res := listen(t, url, s.LiveKey, ""); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
				return fmt.Errorf("a sixth listener gets %s", res.Status)
			}
			return nil
		})
	})
}
