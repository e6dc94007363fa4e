package api_test

import (
	"context"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
)

// When the backlog is full, a send is refused immediately with a Retry-After. A known key and a simulation still get their responses.
// Rules: M85.
func TestSend_Overloaded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.ReplaceDelivery(func(o *delivery.Options) { o.MaxBacklog, o.Wait = 2, 10*time.Millisecond })
		s := serve(t, w)
		release := make(chan struct{})
		defer close(release)
		w.Gateway.SetScript(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
		})
		const body = `{"to":"22376000001","channel":"sms","message":"x"}`
		for _, key := range []string{"a", "b"} {
			if a := s.send(body, "Idempotency-Key: "+key); a.status != 202 {
				t.Fatalf("%d %s", a.status, a.raw)
			}
		}
		rows := s.countRows()
		for _, path := range []string{"/api/send", "/api/otp/send"} {
			a := s.do("POST", path, map[string]string{"/api/send": body, "/api/otp/send": `{"to":"22376000002"}`}[path], "X-API-Key: "+s.LiveKey)
			s.wants(a, 503, "overloaded")
			if a.header.Get("Retry-After") == "" {
				t.Errorf("%s: it doesn't say when: %v", path, a.header)
			}
		}
		if n := s.countRows(); n != rows {
			t.Errorf("%d rows, want the %d from before", n, rows)
		}
		if a := s.send(body, "Idempotency-Key: a"); a.status >= 300 || a.body["deduplicated"] != true {
			t.Errorf("a known key: %d %s", a.status, a.raw)
		}
		if a := s.send(`{"to":"22376000001","channel":"sms","message":"x","sandbox":true}`); a.status != 200 {
			t.Errorf("a simulation: %d %s", a.status, a.raw)
		}
	})
}
