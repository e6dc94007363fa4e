package httpsms

import (
	"fmt"
	"net/http"
	"testing"

	"griot/gateway/gatewaytest"
	"griot/gateway/internal/httpgate"
	"griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	around := gatewaytest.NewSurroundings()
	s := open(t, around, newHermes(t).settings())
	flood := &peertest.Inflow{Door: s.WebhookHandler(), Body: maxCall, Held: httpgate.MaxCalls, Sink: around.Sink, Brought: peertest.Messages, Call: func(n int) *http.Request {
		body := fmt.Sprintf(`{"id":"in-%d","from":"+22370000001","to":"22376543210","text":"a"}`, n)
		return post("/inbound", "application/json", body, sign(body))
	}}
	flood.Flood(t)
}
