package cloudapi

import (
	"fmt"
	"net/http"
	"testing"

	"griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, around := newGraph(t).open(nil)
	flood := &peertest.Inflow{Door: s.WebhookHandler(), Body: mostCall, Held: mostHeld, Sink: around.Sink, Brought: peertest.Messages, Call: func(n int) *http.Request {
		return call(envelope(oursID, fmt.Sprintf(`"messages":[{"from":"22370000011","id":"wamid.%d","timestamp":"1749416383","type":"text","text":{"body":"a"}}]`, n)))
	}}
	flood.Flood(t)
}
