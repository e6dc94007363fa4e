package peers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/twilio"
)

// twilioScript signs calls with Twilio's library, which verifies its own signatures.
const twilioScript = `
const { validateRequest } = require(process.env.TWILIO)
const { getExpectedTwilioSignature } = require(process.env.TWILIO + '/lib/webhooks/webhooks')
const { token, algorithm, calls } = JSON.parse(require('fs').readFileSync(0, 'utf8'))
console.log(JSON.stringify(calls.map(c => {
  const signature = getExpectedTwilioSignature(token, c.url, c.params, algorithm)
  if (!validateRequest(token, signature, c.url, c.params, algorithm)) throw new Error('not valid: ' + c.url)
  return signature
})))`

// The driver accepts the signatures of Twilio's library with the auth token and with a shared key, each for its own
// call only.
func TestSignatures_AgainstTwiliosLibrary(t *testing.T) {
	t.Parallel()
	const (
		token  = "balafonToken"
		shared = "koraSharedSecret0123456789"
		id     = "webhooks_sharedkey_01k6h2v9aceg9bkz3tcm8f5x7d"
		public = "https://api.example.com/gateways/sms"
	)
	s := gatewaytest.Open[gateway.Sender](t, twilio.Open, gatewaytest.NewEnvironment(), gatewaytest.Settings(t, map[string]any{
		"account_sid": "AC0123456789abcdef0123456789abcdef", "auth_token": token, "webhook_url": public + "/",
		"shared_keys": []any{map[string]any{"id": id, "secret": shared}},
	}, nil))
	type call struct {
		URL    string     `json:"url"`
		Params url.Values `json:"params"`
	}
	calls := []call{
		{public + "/inbound", url.Values{"Body": {"Où est ma commande ? ☀ a&b=c+d"}, "From": {"+" + aissata}, "To": {"+" + griot}}},
		{public + "/status/msg_1", url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"delivered"}, "ErrorCode": {""}, "To": {"+" + aissata}}},
		{public + "/status/msg_1?a=b%20c", url.Values{}},
		{public + "/inbound", url.Values{"b": {"2"}, "a": {"1"}, "B": {"3"}, "A_": {"4"}, "A": {"5"}, "a0": {""}}},
		{public + "/inbound", url.Values{"Media": {"z", "a", "z", "m"}}},
	}
	answer := func(address string, form url.Values, signature, settings string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimPrefix(address, public), strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Twilio-Signature", signature)
		if settings != "" {
			r.Header.Set("X-Twilio-Webhooks-Signature-Settings", settings)
		}
		return gatewaytest.Call(s.(gateway.WebhookReceiver).WebhookHandler(), r)
	}
	for _, key := range []struct{ secret, algorithm, settings, other string }{
		{token, "HMAC_SHA1", "", "key=" + id + ",algorithm=HMAC_SHA256"},
		{shared, "HMAC_SHA256", "key=" + id + ",algorithm=HMAC_SHA256", ""},
	} {
		var signatures []string
		runNode(t, twilioScript, map[string]any{"token": key.secret, "algorithm": key.algorithm, "calls": calls}, &signatures, "TWILIO="+npmPackage(t, "twilio"))
		if len(signatures) != len(calls) {
			t.Fatalf("%d signatures, want %d", len(signatures), len(calls))
		}
		for i, c := range calls {
			if got := answer(c.URL, c.Params, signatures[i], key.settings); got != http.StatusNoContent {
				t.Errorf("%s %v: the library's %s of %s is answered with %d", c.URL, c.Params, key.algorithm, signatures[i], got)
			}
			if got := answer(c.URL+"x", c.Params, signatures[i], key.settings); got != http.StatusForbidden {
				t.Errorf("%sx %v: another call's %s is answered with %d, want 403", c.URL, c.Params, signatures[i], got)
			}
			if got := answer(c.URL, c.Params, signatures[i], key.other); got != http.StatusForbidden {
				t.Errorf("%s %v: %s under the other key is answered with %d, want 403", c.URL, c.Params, key.algorithm, got)
			}
		}
	}
}
