package peers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/httpsms"
	"example.com/griot/internal/sms"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/peers/kanneltest"
)

// kannelService passes inbound messages to the driver.
const kannelService = `group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "%s/inbound?from=%%p&to=%%P&text=%%b&charset=%%C&id=%%I&at=%%T&token=%s"`

func TestHTTPSMS_Kannel(t *testing.T) {
	t.Parallel()
	const password, token = "balafon-de-brousse", "kora-token-0123456789"
	env := gatewaytest.NewEnvironment()
	var webhook http.Handler
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { webhook.ServeHTTP(w, r) }))
	defer callback.Close()
	k := kanneltest.Start(t, password, fmt.Sprintf(kannelService, callback.URL, token))
	settings := func(password string) []byte {
		return []byte(`{"preset":"kannel","url":"` + k.SendSMS + `","values":{"username":{"value":"` + kanneltest.Username + `"},"password":{"value":"` + password + `"}},"callback_url":"` + callback.URL + `",
			"receipts":{"auth":{"kind":"token","token":"` + token + `","query":"token"}},"inbound":{"auth":{"kind":"token","token":"` + token + `","query":"token"}}}`)
	}
	s := gatewaytest.Open[gateway.Sender](t, httpsms.Open, env, settings(password))
	webhook = s.(gateway.WebhookReceiver).WebhookHandler()

	for _, tt := range []struct{ text, coding, charset, wire string }{
		{"Été : 100 % {sûr} @ 5 € & a=b+c #1", "2", "UTF-16BE", ""}, // û isn't in the GSM alphabet
		{"Été : 100 % {là} @ 5 € & a=b+c #1", "0", "UTF-8", "Été : 100 % {là} @ 5 € & a=b+c #1"},
		{"ê 👋", "2", "UTF-16BE", ""},
	} {
		out := smsTo(aissata, tt.text)
		out.Ref, out.ExpiresAt = "msg_"+tt.coding, env.Clock.Now().Add(5*time.Minute)
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		got := k.Next()
		text := got.Get("text")
		if tt.charset == "UTF-16BE" {
			text = sms.UTF16([]byte(text))
		}
		if text != tt.text || got.Get("coding") != tt.coding || got.Get("charset") != tt.charset || got.Get("to") != "+"+aissata || got.Get("from") != griot || !strings.Contains("54", got.Get("validity")) || got.Get("validity") == "" { // Kannel subtracts the elapsed time
			t.Errorf("%q arrives at the network as %q, %v", tt.text, text, got)
		}
	}

	wait := func(what string, done func() bool) {
		t.Helper()
		if err := env.Sink.Wait(bounded(t), done); err != nil {
			t.Fatalf("%s: %v; %+v", what, err, env.Sink.Receipts())
		}
	}
	has := func(status gateway.ReceiptStatus) func() bool {
		return func() bool {
			for _, r := range env.Sink.Receipts() {
				if r.Ref == "msg_0" && r.Status == status {
					return true
				}
			}
			return false
		}
	}
	wait("the receipt that the network has it", has(gateway.ReceiptSent))
	k.Delivered("msg_0")
	wait("the receipt that the phone has it", has(gateway.ReceiptDelivered))

	k.FromNetwork(url.Values{"from": {"+" + aissata}, "to": {griot}, "text": {"\x05\xff\x00binary"}, "coding": {"1"}})
	k.FromNetwork(url.Values{"from": {"+" + aissata}, "to": {griot}, "text": {"Bonjour  à tous & toutes"}, "charset": {"UTF-8"}, "coding": {"0"}})
	k.FromNetwork(url.Values{"from": {"+" + aissata}, "to": {griot}, "text": {"\x00\xc7\x00a"}, "charset": {"UTF-16BE"}, "coding": {"2"}})
	wait("two messages", func() bool { return len(env.Sink.Messages()) == 2 })
	texts := map[string]bool{}
	for _, in := range env.Sink.Messages() {
		texts[in.Text] = in.From == aissata && in.To == griot && in.ID != "" && !in.At.IsZero()
	}
	if !texts["Bonjour  à tous & toutes"] || !texts["Ça"] {
		t.Errorf("%+v", env.Sink.Messages())
	}

	waittest.Until(t, func() error {
		if n := env.Unhandled()[gateway.UnhandledKind]; n != 1 {
			return fmt.Errorf("%d binary messages are counted", n)
		}
		return nil
	})
	if n := len(env.Sink.Messages()); n != 2 {
		t.Errorf("%d messages are stored, want the two texts", n)
	}

	_, err := gatewaytest.Open[gateway.Sender](t, httpsms.Open, env, settings("another")).Send(t.Context(), smsTo(aissata, "Ça va ?"))
	gatewaytest.WantFailure(t, err, "sender_down credentials_refused 403")
	_, err = s.Send(t.Context(), smsTo("a", "Ça va ?"))
	gatewaytest.WantFailure(t, err, "unreachable recipient_refused 400")
	if logged := env.Logged(); strings.Contains(logged, token) || strings.Contains(logged, password) {
		t.Errorf("a secret or a content is in the log: %s", logged)
	}
}
