package httpsms

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/gateway/internal/peertest"
)

func TestFlood(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	s := open(t, env, newFakeGateway(t).settings())
	flood := &peertest.WebhookFlood{Handler: s.WebhookHandler(), MaxBody: maxCall, MaxHeld: httpgate.MaxBodies, Sink: env.Sink, Stored: peertest.CountMessages, Call: func(n int) *http.Request {
		body := fmt.Sprintf(`{"id":"in-%d","from":"+22370000001","to":"22376543210","text":"a"}`, n)
		return post("/inbound", "application/json", body, sign(body))
	}}
	flood.Run(t)
}
