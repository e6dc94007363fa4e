package remote

import (
	"fmt"
	"net/http"
	"testing"

	"griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, _, around := opened(t, nil)
	flood := &peertest.Inflow{Door: s.WebhookHandler(), Body: maxEvent, Held: maxEvents, Sink: around.Sink, Brought: peertest.Receipts, Call: func(n int) *http.Request {
		body := fmt.Sprintf(`{"type":"receipt","receipt":{"reference":"msg_%d","status":"delivered","at":"2026-11-20T12:00:00Z"}}`, n)
		return signed(testKey(), []byte(body), around.Clock.Now())
	}}
	flood.Flood(t)
}
