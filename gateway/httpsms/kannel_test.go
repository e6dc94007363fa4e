package httpsms

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/httpsms/kanneltest"
)

// kannelService gives what people write to the driver.
const kannelService = `group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "%s/inbound?from=%%p&to=%%P&text=%%b&charset=%%C&id=%%I&at=%%T&token=%s"`

func TestKannel(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	var s *sender
	griot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.WebhookHandler().ServeHTTP(w, r) }))
	defer griot.Close()
	k := kanneltest.Start(t, testSecret, fmt.Sprintf(kannelService, griot.URL, testToken))
	settings := func(password string) string {
		return `{"preset":"kannel","url":"` + k.SendSMS + `","values":{"username":{"value":"` + kanneltest.Username + `"},"password":{"value":"` + password + `"}},"callback_url":"` + griot.URL + `",
			"receipts":{"auth":{"kind":"token","token":"` + testToken + `","query":"token"}},"inbound":{"auth":{"kind":"token","token":"` + testToken + `","query":"token"}}}`
	}
	s = open(t, env, settings(testSecret))

	for _, tt := range []struct{ text, coding, charset, wire string }{
		{"Été : 100 % {sûr} @ 5 € & a=b+c #1", "2", "UTF-16BE", ""}, // û isn't in the GSM alphabet
		{"Été : 100 % {là} @ 5 € & a=b+c #1", "0", "UTF-8", "Été : 100 % {là} @ 5 € & a=b+c #1"},
		{"ê 👋", "2", "UTF-16BE", ""},
	} {
		out := message()
		out.Ref, out.Text, out.ExpiresAt = "msg_"+tt.coding, tt.text, env.Clock.Now().Add(5*time.Minute)
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		got := k.Next()
		text := got.Get("text")
		if tt.charset == "UTF-16BE" {
			text, _ = fromUCS2([]byte(text))
		}
		if text != tt.text || got.Get("coding") != tt.coding || got.Get("charset") != tt.charset || got.Get("to") != "+"+aissata || got.Get("from") != ourNumber || !strings.Contains("54", got.Get("validity")) || got.Get("validity") == "" { // Kannel takes off what has passed
			t.Errorf("%q arrives at the network as %q, %v", tt.text, text, got)
		}
	}

	wait := func(what string, done func() bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := env.Sink.Wait(ctx, done); err != nil {
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

	k.FromNetwork(url.Values{"from": {"+" + aissata}, "to": {ourNumber}, "text": {"Bonjour  à tous & toutes"}, "charset": {"UTF-8"}, "coding": {"0"}})
	k.FromNetwork(url.Values{"from": {"+" + aissata}, "to": {ourNumber}, "text": {"\x00\xc7\x00a"}, "charset": {"UTF-16BE"}, "coding": {"2"}})
	wait("two messages", func() bool { return len(env.Sink.Messages()) == 2 })
	texts := map[string]bool{}
	for _, in := range env.Sink.Messages() {
		texts[in.Text] = in.From == aissata && in.To == ourNumber && in.ID != "" && !in.At.IsZero()
	}
	if !texts["Bonjour  à tous & toutes"] || !texts["Ça"] {
		t.Errorf("%+v", env.Sink.Messages())
	}

	_, err := open(t, env, settings("another")).Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "sender_down credentials_refused 403")
	out := message()
	out.To = "a"
	_, err = s.Send(t.Context(), out)
	gatewaytest.WantFailure(t, err, "unreachable recipient_refused 400")
	if logged := env.Logged(); strings.Contains(logged, testToken) || strings.Contains(logged, testSecret) {
		t.Errorf("a secret or a content is in the log: %s", logged)
	}
}
