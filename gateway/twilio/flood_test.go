package twilio

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	flood := &peertest.WebhookFlood{Handler: s.WebhookHandler(), MaxBody: maxBody, MaxHeld: maxHeld, Sink: env.Sink, Stored: peertest.CountMessages, Call: func(n int) *http.Request {
		return signedCall(public+"/inbound", url.Values{"MessageSid": {fmt.Sprintf("SM%d", n)}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"Ça va ?"}, "NumMedia": {"0"}})
	}}
	flood.Run(t)
}
