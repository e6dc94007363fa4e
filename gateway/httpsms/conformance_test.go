package httpsms

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

func TestIsADriver(t *testing.T) {
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		env := gatewaytest.NewEnvironment()
		h := newFakeGateway(t)
		s := open(t, env, h.settings())
		h.handler = s.WebhookHandler()
		return gatewaytest.Subject{
			Environment: env, Sender: s, Channel: gateway.SMS, From: ourNumber, To: []string{aissata, "22370000002"},
			Secrets: []string{testSecret, testToken},
			Provider: gatewaytest.Provider{
				Accept: h.Script(""), Refuse: h.Script("refuse"), RefuseForNow: h.Script("later"), RefuseRecipient: h.Script("recipient"),
				RefuseLogin: h.Script("login"), DropBefore: h.StopListening, DropAfter: h.Script("drop"), HangAfter: h.HangAfter,
				Received: h.received,
				SendInbound: func(in gateway.Inbound) {
					body := string(mustJSON(t, map[string]any{"id": "in-" + in.Text, "from": "+" + in.From, "to": in.To, "text": in.Text}))
					h.callDriver("/inbound", "application/json", body, sign(body))
				},
			},
		}
	})
}

func sign(body string) string {
	m := hmac.New(sha256.New, []byte(testSecret))
	m.Write([]byte(body))
	return hex.EncodeToString(m.Sum(nil))
}
