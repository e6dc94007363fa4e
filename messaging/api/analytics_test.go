package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// Rules: M53, M120.
func TestAnalytics(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		live := "Authorization: Bearer " + s.LiveKey
		empty := s.do("GET", "/api/svc-analytics", "", live)
		if empty.status != 200 || empty.body["sampleSize"] != 0.0 || empty.body["deliveryRate"] != nil || empty.body["from"] != nil || empty.body["limit"] != 50_000.0 {
			t.Errorf("of no messages: %s", empty.raw)
		}
		first := s.send(`{"to":"22376000001","channel":"sms","message":"x"}`).text("messageId")
		err := s.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: first, Status: gateway.ReceiptDelivered, At: s.Clock.Now().Add(1500 * time.Millisecond)})
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(24 * time.Hour)
		s.Gateway.FailWith(gateway.Permanent, "refused")
		s.send(`{"to":"22376000001","channel":"whatsapp","message":"x"}`)
		s.send(`{"to":"22376000001","channel":"whatsapp","message":"x","sandbox":true}`)
		a := s.do("GET", "/api/svc-analytics?sample=50", "", live)
		want := `{"success":true,"sampleSize":3,"from":"2026-03-04T12:00:00.000Z","to":"2026-03-05T12:00:00.000Z",` +
			`"byStatus":{"CANCELED":0,"DELIVERED":1,"EXPIRED":0,"FAILED":1,"QUEUED":0,"READ":0,"SANDBOX":1,"SCHEDULED":0,"SENDING":0,"SENT":0},` +
			`"byChannel":{"email":{"total":0,"sent":0,"delivered":0,"read":0,"failed":0},"sms":{"total":1,"sent":1,"delivered":1,"read":0,"failed":0},"whatsapp":{"total":1,"sent":0,"delivered":0,"read":0,"failed":1}},` +
			`"deliveryRate":1,"readRate":0,"failureRate":0.5,"fallbackRate":0,` +
			`"latencyMs":{"sent":{"p50":0,"p95":0,"p99":0},"delivered":{"p50":1500,"p95":1500,"p99":1500}},` +
			`"topErrors":[{"code":"refused","count":1}],"byDay":[{"date":"2026-03-04","total":1,"delivered":1,"failed":0},{"date":"2026-03-05","total":1,"delivered":0,"failed":1}],` +
			`"messagesUsed":0,"limit":50000}`
		if a.status != 200 || strings.TrimSpace(a.raw) != want {
			t.Errorf("%d %s\nwant  %s", a.status, a.raw, want)
		}
		played := s.do("GET", "/api/svc-analytics", "", "X-API-Key: "+s.Key(t, s.Account.ID, "", account.Test))
		if played.body["sampleSize"] != 1.0 || object(played.body, "byStatus", "SANDBOX") != 1.0 || played.body["deliveryRate"] != nil || object(played.body, "byChannel", "sms", "total") != 0.0 {
			t.Errorf("with a test key: %d %s", played.status, played.raw)
		}
		s.wants(s.do("GET", "/api/svc-analytics", ""), 401, "unauthorized")
		s.wants(s.do("GET", "/api/svc-analytics", "", "X-API-Key: "+s.projectKey()), 403, "forbidden")
	})
}

// Rules: M119.
func TestAnalytics_TheSampleIsTheNewest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		for i := range 60 {
			s.Clock.Advance(time.Second)
			channel := "sms"
			if i < 10 {
				channel = "whatsapp" // too old for the smallest sample
			}
			s.send(fmt.Sprintf(`{"to":"22376000001","channel":%q,"message":"x"}`, channel))
		}
		for query, want := range map[string]string{"sample=50": "50 0", "sample=55": "55 5", "": "60 10", "sample=500": "60 10"} {
			a := s.do("GET", "/api/svc-analytics?"+query, "", "X-API-Key: "+s.LiveKey)
			channels, _ := a.body["byChannel"].(map[string]any)
			whatsapp, _ := channels["whatsapp"].(map[string]any)
			statuses, _ := a.body["byStatus"].(map[string]any)
			if got := fmt.Sprint(a.body["sampleSize"], whatsapp["total"]); got != want || statuses[string(message.Sent)] != a.body["sampleSize"] {
				t.Errorf("%s: %s, want %s", query, a.raw, want)
			}
		}
		for _, sample := range []string{"49", "501", "-1", "x", "0", "1e2", "50.0", "99999999999999999999"} {
			a := s.do("GET", "/api/svc-analytics?sample="+sample, "", "X-API-Key: "+s.LiveKey)
			if s.wants(a, 400, "invalid_request"); a.text("field") != "sample" {
				t.Errorf("%s: %s", sample, a.raw)
			}
		}
	})
}
