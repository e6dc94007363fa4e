package cloudapi

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

func TestConformance(t *testing.T) {
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		g := newFakeGraph(t)
		env := gatewaytest.NewEnvironment()
		s, err := Open(g.settings(nil), env.Deps())
		if err != nil {
			t.Fatal(err)
		}
		receiver, ok := s.(gateway.WebhookReceiver)
		if !ok {
			t.Fatal("not a WebhookReceiver")
		}
		g.SetDriver(receiver.WebhookHandler())
		provider := g.Provider()
		provider.Groups = func() []gateway.Group { // the two pages of the fake
			return []gateway.Group{
				{ID: "Y2FwaV9ncm91cDox@g.us", Name: "Équipe", Participants: 4, IsAdmin: true}, {ID: "Y2FwaV9ncm91cDoy@g.us", Name: "Clients", IsAdmin: true},
			}
		}
		provider.ReadMarks = func() []string {
			g.mu.Lock()
			defer g.mu.Unlock()
			return g.readMarks
		}
		count := 0
		provider.SendInbound = func(in gateway.Inbound) {
			count++
			body := envelope(ourNumberID, fmt.Sprintf(`"contacts":[{"profile":{"name":"A"},"wa_id":%q}],"messages":[{"from":%q,"id":"wamid.in%d","timestamp":"1749416383","type":"text","text":{"body":%q}}]`,
				in.From, in.From, count, in.Text))
			g.CallDriver(func() *http.Request { return signedCall(body) })
		}
		return gatewaytest.Subject{
			Environment: env, Sender: s, Channel: gateway.WhatsApp, From: ourNumber, To: []string{aissata, moussa},
			Secrets: []string{token, secret, verify}, Provider: provider,
		}
	})
}
