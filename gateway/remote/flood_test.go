package remote

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	flood := &peertest.WebhookFlood{Handler: s.WebhookHandler(), MaxBody: maxEvent, MaxHeld: maxEvents, Sink: env.Sink, Stored: peertest.CountReceipts, Call: func(n int) *http.Request {
		body := fmt.Sprintf(`{"type":"receipt","receipt":{"reference":"msg_%d","status":"delivered","at":"2026-11-20T12:00:00Z"}}`, n)
		return signedCall(testKey(), []byte(body), env.Clock.Now())
	}}
	flood.Run(t)
}
