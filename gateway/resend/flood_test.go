package resend

import (
	"fmt"
	"net/http"
	"testing"

	"griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, around := newFake(t).open(nil)
	flood := &peertest.Inflow{Door: s.WebhookHandler(), Body: mostCall, Held: mostHeld, Sink: around.Sink, Brought: peertest.Receipts, Call: func(n int) *http.Request {
		return call(told("email.delivered", fmt.Sprintf("msg_%d", n), `"email_id":"e1"`), around.Clock.Now())
	}}
	flood.Flood(t)
}
