package delivery_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func TestSandbox_ReturnsWhatWouldHaveHappened(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		r := text("22376000001")
		r.Sandbox = true
		if m := w.Submit(t, r).Message; m.Status != message.Sandbox || w.Int(t, `SELECT count(*) FROM webhook_events`) != 0 {
			t.Fatalf("%s, and events that nobody hears", m.Status)
		}
		w.SetWebhook(t, "https://example.com/hook")
		quiet := *r
		quiet.Quiet = true
		w.Submit(t, &quiet)
		if n := w.Int(t, `SELECT count(*) FROM webhook_events`); n != 0 {
			t.Errorf("%d events that were not wanted", n)
		}
		r.IdempotencyKey = "k"
		w.Submit(t, r)
		w.Submit(t, r) // a replay makes no other event
		for _, status := range []string{"sent", "delivered"} {
			if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE body LIKE $1 AND body LIKE '%"sandbox":true%'`, `%"status":"`+status+`"%`); n != 1 {
				t.Errorf("%d events say %s", n, status)
			}
		}
		if len(w.Gateway.Calls()) != 0 {
			t.Error("a gateway was asked")
		}
	})
}
