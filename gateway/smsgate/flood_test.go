package smsgate

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, f, env := opened(t, nil)
	flood := &peertest.WebhookFlood{Handler: s.WebhookHandler(), MaxBody: maxEvent, MaxHeld: maxEvents, Sink: env.Sink, Stored: peertest.CountReceipts, Call: func(n int) *http.Request {
		body := fmt.Sprintf(`{"event":"sms:delivered","deviceId":"d","id":"e","webhookId":"w","payload":{"messageId":"msg_%d","phoneNumber":"+22370000001","deliveredAt":"2026-11-20T12:00:00Z"}}`, n)
		return signedCall(testSigning, []byte(body), f.clock.Now())
	}}
	flood.Run(t)
}
