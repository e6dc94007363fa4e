package twilio

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, around := newFake(t).open(nil)
	flood := &peertest.Inflow{Door: s.WebhookHandler(), Body: mostCall, Held: mostHeld, Sink: around.Sink, Brought: peertest.Messages, Call: func(n int) *http.Request {
		return call(public+"/inbound", url.Values{"MessageSid": {fmt.Sprintf("SM%d", n)}, "From": {"+" + aissata}, "To": {"+" + ours}, "Body": {"Ça va ?"}, "NumMedia": {"0"}})
	}}
	flood.Flood(t)
}
