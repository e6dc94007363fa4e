package cloudapi

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	flood := &peertest.WebhookFlood{Handler: s.WebhookHandler(), MaxBody: maxBody, MaxHeld: maxHeld, Sink: env.Sink, Stored: peertest.CountMessages, Call: func(n int) *http.Request {
		return signedCall(envelope(ourNumberID, fmt.Sprintf(`"messages":[{"from":"22370000011","id":"wamid.%d","timestamp":"1749416383","type":"text","text":{"body":"a"}}]`, n)))
	}}
	flood.Run(t)
}
