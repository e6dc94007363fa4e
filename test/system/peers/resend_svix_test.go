package peers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/resend"
)

// svixScript signs webhook calls with Svix's library, and has it verify its own signatures.
const svixScript = `
const { Webhook } = require(process.env.SVIX)
const c = JSON.parse(require('fs').readFileSync(0, 'utf8'))
const hook = new Webhook(c.secret)
console.log(JSON.stringify(hook.sign(c.id, new Date(c.at * 1000), c.body)))`

// The driver accepts the signatures of Svix's library, each for its own call only.
func TestSignatures_AgainstSvix(t *testing.T) {
	t.Parallel()
	const (
		secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
		id     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
		body   = `{"type":"email.sent","created_at":"2026-11-04T10:00:00.126Z","data":{"email_id":"é☀","tags":{"griot_message":"msg_1"}}}`
	)
	now := time.Now() // Svix's library uses the machine's clock
	env := gatewaytest.NewEnvironment()
	env.Clock.Advance(now.Sub(env.Clock.Now()))
	s := gatewaytest.Open[gateway.Sender](t, resend.Open, env, gatewaytest.Settings(t, map[string]any{"api_key": "re_balafonKey", "webhook_secret": secret}, nil))
	var signature string
	runNode(t, svixScript, map[string]any{"secret": secret, "id": id, "body": body, "at": now.Unix()}, &signature, "SVIX="+npmPackage(t, "svix"))
	for _, tt := range []struct {
		name, id, body string
		at             time.Time
		want           int
	}{
		{"as it was signed", id, body, now, http.StatusNoContent},
		{"another id", "x", body, now, http.StatusForbidden},
		{"another body", id, strings.Replace(body, "msg_1", "msg_2", 1), now, http.StatusForbidden},
		{"another time", id, body, now.Add(time.Second), http.StatusForbidden},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(tt.body))
		r.Header.Set("svix-id", tt.id)
		r.Header.Set("svix-timestamp", fmt.Sprint(tt.at.Unix()))
		r.Header.Set("svix-signature", signature)
		if got := gatewaytest.Call(s.(gateway.WebhookReceiver).WebhookHandler(), r); got != tt.want {
			t.Errorf("%s: Svix's %q is answered with %d, want %d", tt.name, signature, got, tt.want)
		}
	}
	if got := env.Sink.Receipts(); len(got) != 1 || got[0].Ref != "msg_1" || got[0].ProviderID != "é☀" {
		t.Errorf("receipts %+v, want one of msg_1", got)
	}
}
