package api_test

import (
	"net/http"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/auth/authtest"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/internal/waittest"
)

// Rules: L174.
func TestManageWebhook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, l := newService(t, d, authtest.Loopback), authtest.NewReceiver(t)
		dash, other := s.dashboard(s.Tenant), s.dashboard(s.NewTenant(t, "Another"))
		if got := dash.send("GET", "/manage/webhook", "").json(t); got["webhook"] != nil {
			t.Errorf("without an endpoint: %v", got)
		}
		for _, path := range []string{"enable", "rotate", "ping"} {
			dash.send("POST", "/manage/webhook/"+path, "").refused(t, http.StatusBadRequest, "invalid_request", "no_endpoint")
		}
		s.adminWebhook("set", map[string]any{"url": l.URL})
		waittest.Run(t, s.run)

		pinged := dash.send("POST", "/manage/webhook/ping", "")
		pinged.must(t, http.StatusAccepted)
		eventID := text(t, pinged.json(t), "eventId")
		if first := l.Wait(t, 1)[0]; first.Body["event"] != "webhook.ping" || first.Body["eventId"] != eventID {
			t.Errorf("the endpoint got %s", first.Raw)
		}
		event := func() map[string]any {
			got := dash.send("GET", "/manage/webhook/events/"+eventID, "")
			got.must(t, http.StatusOK)
			return got.json(t)
		}
		waittest.Eventually(t, "delivered", func() string { return text(t, event(), "delivery") })
		if tries := list(t, event(), "attempts"); len(tries) != 1 || tries[0]["statusCode"] != float64(http.StatusNoContent) || text(t, event(), "body") != l.Got()[0].Raw {
			t.Errorf("the event is %v", event())
		}
		for _, absent := range []answer{
			other.send("GET", "/manage/webhook/events/"+eventID, ""), other.send("POST", "/manage/webhook/events/"+eventID+"/resend", ""),
			dash.send("GET", "/manage/webhook/events/evt_"+id.New(s.Clock.Now()), ""), dash.send("POST", "/manage/webhook/events/x/resend", ""),
		} {
			absent.refused(t, http.StatusNotFound, "invalid_request", "event_not_found")
		}

		rotated := dash.send("POST", "/manage/webhook/rotate", "")
		rotated.must(t, http.StatusCreated)
		verify, err := standardwebhooks.NewWebhook(text(t, rotated.json(t), "webhookSecret"))
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Second)
		dash.send("POST", "/manage/webhook/events/"+eventID+"/resend", "").must(t, http.StatusOK)
		again := l.Wait(t, 2)[1]
		if err := verify.VerifyIgnoringTimestamp([]byte(again.Raw), again.Header); err != nil || again.Body["eventId"] != eventID {
			t.Errorf("the event that was sent again: %s, signed by the new secret: %v", again.Raw, err)
		}
		state := dash.send("GET", "/manage/webhook", "").json(t)["webhook"].(map[string]any)
		if state["url"] != l.URL || state["enabled"] != true || state["previousSecretUntil"] != "2026-03-02T12:00:00.000Z" {
			t.Errorf("the endpoint is %v", state)
		}
		page := list(t, dash.send("GET", "/manage/webhook/events?limit=1", "").json(t), "events")
		if len(page) != 1 || page[0]["eventId"] != eventID {
			t.Errorf("the events are %v", page)
		}
		for _, query := range []string{"limit=0", "limit=201", "cursor=x", "delivery=x"} {
			dash.send("GET", "/manage/webhook/events?"+query, "").refused(t, http.StatusBadRequest, "invalid_request", "malformed_parameter")
		}

		l.Status.Store(http.StatusGone)
		dash.send("POST", "/manage/webhook/ping", "").must(t, http.StatusAccepted)
		reason := func() any {
			return dash.send("GET", "/manage/webhook", "").json(t)["webhook"].(map[string]any)["disabledReason"]
		}
		waittest.Eventually[any](t, "gone", reason)
		l.Status.Store(http.StatusNoContent)
		dash.send("POST", "/manage/webhook/enable", "").must(t, http.StatusOK)
		if got := reason(); got != nil {
			t.Errorf("after enabling it is disabled: %v", got)
		}
		s.adminWebhook("disable", nil)
		dash.send("POST", "/manage/webhook/enable", "").refused(t, http.StatusForbidden, "access_denied", "endpoint_disabled")
		for typ, want := range map[string]int{"webhook.set": 1, "webhook.pinged": 2, "webhook.secret_rotated": 1, "webhook.resent": 1, "webhook.enabled": 1} {
			if n := s.count(`SELECT count(*) FROM audit_events WHERE type = $1`, typ); n != want {
				t.Errorf("%d events %s, want %d", n, typ, want)
			}
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type LIKE 'webhook.%' AND actor = 'tenant' AND tenant_id = $1`, s.Tenant.ID); n != 5 {
			t.Errorf("%d events by the tenant, want 5", n)
		}
	})
}
