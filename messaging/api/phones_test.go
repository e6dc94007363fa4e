package api_test

import (
	"regexp"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/webhooks"
)

// bare matches a phone number without its plus sign.
var bare = regexp.MustCompile(`"\\?2237[0-9]{7}\\?"`)

// A phone number has one form in all responses and events, regardless of the form in which it was received.
// Rules: M5.
func TestPhones_HaveOneForm(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.SetWebhook(t, "https://example.com/hook")
		s.Receive(t, awa, "in1", "Bonjour")
		key := "X-API-Key: " + s.LiveKey
		for _, to := range []string{"22376000001", "+22376000001"} {
			for _, body := range []string{
				`{"to":"` + to + `","channel":"whatsapp","message":"x"}`, `{"to":"` + to + `","channel":"sms","message":"x","sandbox":true}`, `{"to":"` + to + `","channel":"auto","message":"x","dryRun":true}`,
			} {
				if a := s.send(body); a.status != 200 || a.text("to") != "+22376000001" {
					t.Errorf("%s: %d %s", body, a.status, a.raw)
				}
			}
			s.Gateway.FailWith(gateway.Permanent, "refused")
			if a := s.send(`{"to":"` + to + `","channel":"sms","message":"x"}`); a.status != 502 || a.text("to") != "+22376000001" {
				t.Errorf("a failure: %d %s", a.status, a.raw)
			}
			s.Gateway.SetScript(nil)
			if a := s.batch(`{"messages":[{"to":"` + to + `","channel":"sms","message":"x"}]}`); bare.MatchString(a.raw) {
				t.Errorf("a batch: %s", a.raw)
			}
		}
		for _, path := range []string{"/api/svc-logs", "/api/senders", "/api/inbox/conversations", "/api/status/" + s.send(good).text("messageId"), "/api/webhooks/events"} {
			if a := s.do("GET", path, "", key); a.status != 200 || bare.MatchString(a.raw) || path != "/api/webhooks/events" && !strings.Contains(a.raw, `"+223`) {
				t.Errorf("%s: %d %s", path, a.status, a.raw)
			}
		}
		for _, form := range []string{"22376000001", "%2B22376000001", "+22376000001"} {
			if ids, _ := s.page(s.LiveKey, "to="+form); len(ids) != 9 {
				t.Errorf("to=%s: %d messages, want 9", form, len(ids))
			}
			if a := s.do("GET", "/api/inbox/conversations?q="+form, "", key); len(a.body["conversations"].([]any)) != 1 {
				t.Errorf("q=%s: %s", form, a.raw)
			}
		}
		page, _, err := s.Endpoints.Events(t.Context(), &webhooks.Filter{AccountID: s.Account.ID, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]int{}
		for _, e := range page {
			if kinds[e.Type]++; bare.MatchString(e.Body) || !strings.Contains(e.Body, `"+223`) {
				t.Errorf("event %s", e.Body)
			}
		}
		if kinds[webhooks.MessageReceived] != 1 || kinds[webhooks.MessageStatus] < 8 {
			t.Errorf("events %v", kinds)
		}
	})
}

// Numbers that were stored in other forms are also shown in it.
func TestPhones_OfOlderMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		id := s.send(good).text("messageId")
		s.Exec(t, `UPDATE messages SET recipient = '22376000001'`)
		if a := s.do("GET", "/api/status/"+id, "", "X-API-Key: "+s.LiveKey); a.text("to") != "+22376000001" {
			t.Errorf("got %s", a.raw)
		}
	})
}
