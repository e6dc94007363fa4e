package httpmail

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpgate"
)

const bare = `"url":"https://mail.test/send","json":{"f":"{{from}}","t":"{{to}}","x":"{{text}}","h":"{{html}}"}`

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		`"preset":"postcard"`: "brevo, mailgun, postmark, sendgrid",
		`"preset":"postmark"`: "{{server_token}}",
		`"url":"https://mail.test","json":{"f":"{{from}}","t":"{{to}}","x":"{{text}}"}`:            "{{html}}",
		`"url":"https://mail.test","json":{"t":"{{to}}","x":"{{text}}","h":"{{html}}"}`:            "{{from}}",
		`"url":"https://mail.test","json":{"f":"{{from_full}}","x":"{{text}}","h":"{{html}}"}`:     "{{to}}",
		bare + `,"headers":{"X-Subject":"{{subject}}"}`:                                            "{{subject}}",
		bare + `,"headers":{"X-From":"{{from_full}}"}`:                                             "{{from_full}}",
		bare + `,"coding":{"gsm":"0"}`:                                                             "coding",
		bare + `,"inbound":{}`:                                                                     "inbound",
		bare + `,"list_unsubscribe":"http://example.com"`:                                          "list_unsubscribe",
		bare + `,"list_unsubscribe":"a@example.com","list_unsubscribe_post":true`:                  "list_unsubscribe_post",
		`"preset":"brevo","base_url":"http://api.test","values":{"api_key":{"value":"kora"}}`:      "base_url",
		`"preset":"brevo","base_url":"https://u:kora@api.test","values":{"api_key":{"value":"a"}}`: "base_url",
		`"preset":"brevo","values":{"api_key":{"value":"a"}},"receipts":{"auth":{}}`:               "token",
		`"preset":"mailgun","values":{"domain":{"value":"a"}}`:                                     "basic.password",
	} {
		_, err := Open([]byte("{"+members+"}"), gatewayDeps())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "kora") {
			t.Errorf("%s: %v, want it to mention %s", members, err, want)
		}
	}
}

func TestSend_InvalidMessages(t *testing.T) {
	t.Parallel()
	asked := false
	provider := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer provider.Close()
	s, err := Open([]byte("{"+strings.Replace(bare, "https://mail.test", provider.URL, 1)+"}"), gatewayDeps())
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(o *gateway.Outbound){
		"permanent channel_unsupported": func(o *gateway.Outbound) { o.Channel = gateway.SMS },
		"permanent reference_invalid":   func(o *gateway.Outbound) { o.Ref = "msg 1" },
		"permanent message_empty":       func(o *gateway.Outbound) { o.Text, o.HTML = "", "" },
		"permanent media_unsupported":   func(o *gateway.Outbound) { o.Media = &gateway.Media{} },
		"permanent expired":             func(o *gateway.Outbound) { o.ExpiresAt = time.Unix(1, 0) },
		"permanent sender_invalid":      func(o *gateway.Outbound) { o.From = "Griot <bonjour@example.com>" },
		"unreachable recipient_invalid": func(o *gateway.Outbound) { o.To = "aissata@example.org, moussa@exemple.ml" },
	} {
		out := message()
		change(out)
		if _, err := s.Send(t.Context(), out); err == nil || describeError(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	out := message()
	out.From = "bonjour@exämple-.com"
	if _, err := s.Send(t.Context(), out); err == nil || describeError(err) != "permanent sender_invalid" {
		t.Errorf("a domain that can't be written for DNS: %v", err)
	}
	if asked {
		t.Error("something was sent")
	}
}

// Only Brevo's preset deduplicates, for a limited time.
func TestInfo(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range providers() {
		names = append(names, p.preset)
		s, _ := newFake(t, p).open(map[string]any{"rate": 4})
		info := s.Info()
		if info.Deduplicates != (p.preset == "brevo") || info.Deduplicates && info.DeduplicatesFor != 14*time.Minute {
			t.Errorf("%s: %+v", p.preset, info)
		}
		if !info.Receipts || info.ByProviderID || !slices.Equal(info.Channels, []gateway.Channel{gateway.Email}) || info.Pace.Sender != time.Second/4 {
			t.Errorf("%s: %+v", p.preset, info)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, httpgate.Presets(presetFiles)) {
		t.Errorf("tested are %q, there are %q", names, httpgate.Presets(presetFiles))
	}
}

// base_url selects a region.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	asked := ""
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		_, _ = fmt.Fprint(w, `{"id":"<a@b>"}`)
	}))
	defer provider.Close()
	s, err := Open([]byte(`{"preset":"mailgun","base_url":"`+provider.URL+`/","values":{"domain":{"value":"mg/ex?"}},"basic":{"password":"a"}}`), gatewayDeps())
	if err != nil {
		t.Fatal(err)
	}
	if ack, err := s.Send(t.Context(), message()); err != nil || ack.ProviderID != "a@b" || asked != "/v3/mg/ex?/messages" {
		t.Errorf("%+v, %v: %s", ack, err, asked)
	}
}

func TestUUIDOf(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 1000 {
		id := uuidOf(fmt.Sprintf("msg_%d", i))
		if seen[id] || id != uuidOf(fmt.Sprintf("msg_%d", i)) {
			t.Fatalf("%d: %s", i, id)
		}
		seen[id] = true
	}
}

func FuzzWebhook(f *testing.F) {
	key, public := newKey()
	all := []provider{postmark(), sendgrid(key, public), mailgun(), brevo()}
	env := gatewaytest.NewEnvironment()
	var senders []gateway.Sender
	for _, p := range all {
		s, err := Open(p.raw(), env.Deps())
		if err != nil {
			f.Fatal(err)
		}
		senders = append(senders, s)
		for _, kind := range []string{"delivered", "bounced", "failed"} {
			f.Add(p.event(kind, ref, "id", env.Clock.Now()))
		}
	}
	f.Add(`[[],{"event":{}},{"griot_message":7,"event":true}]`)
	f.Add(`{"event-data":{"event":[],"timestamp":1e400}}`)
	f.Fuzz(func(t *testing.T, body string) {
		for i, s := range senders {
			if code := gatewaytest.Call(handler(s), all[i].call(body, env.Clock.Now())); code != http.StatusOK && code != http.StatusBadRequest && code != http.StatusUnauthorized {
				t.Errorf("%s: %d for %q", all[i].preset, code, body)
			}
		}
		for _, r := range env.Sink.Receipts() {
			if r.Ref+r.ProviderID == "" || r.At.IsZero() || (r.Status == gateway.ReceiptFailed) != (r.Err != nil) || strings.ContainsRune(r.Ref+r.ProviderID, 0) {
				t.Fatalf("%+v", r)
			}
		}
	})
}
