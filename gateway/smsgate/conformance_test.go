package smsgate

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

func TestIsADriver(t *testing.T) {
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		env := gatewaytest.NewEnvironment()
		f := newFake(t, env.Clock)
		return gatewaytest.Subject{
			Environment: env, Sender: f.open(env, nil), Channel: gateway.SMS, From: ourNumber, To: []string{aissata, "22370000002"},
			Secrets: []string{testPassword, testSigning},
			Provider: gatewaytest.Provider{
				Accept: f.Script(""), Refuse: f.Script("refuse"), RefuseForNow: f.Script("later"), RefuseRecipient: f.Script("recipient"),
				RefuseLogin: f.Script("login"), DropBefore: f.StopListening, DropAfter: f.Script("drop"), HangAfter: f.HangAfter,
				Received: f.received,
				SendInbound: func(in gateway.Inbound) {
					f.callWebhook("sms:received", map[string]any{"messageId": "a", "phoneNumber": "+" + in.From, "simNumber": 1, "message": in.Text, "receivedAt": f.clock.Now()})
				},
			},
		}
	})
}
