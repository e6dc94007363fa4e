package resend

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	flood := &peertest.WebhookFlood{Handler: s.WebhookHandler(), MaxBody: maxBody, MaxHeld: maxHeld, Sink: env.Sink, Stored: peertest.CountReceipts, Call: func(n int) *http.Request {
		return signedCall(eventJSON("email.delivered", fmt.Sprintf("msg_%d", n), `"email_id":"e1"`), env.Clock.Now())
	}}
	flood.Run(t)
}
