package resend

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

// No receipt is lost because of a single field.
func TestReceipts_Kept(t *testing.T) {
	t.Parallel()
	for name, kept := range map[string]peertest.KeptReceipt{
		"by its tag": {Call: eventJSON("email.bounced", "msg_1", `"to":["a@example.org"],"bounce":{"type":"Permanent","subType":"General"}`), Message: []string{"data.tags.griot_message"}},
		"by its ID":  {Call: `{"type":"email.delivered","created_at":"2026-11-04T10:00:00Z","data":{"email_id":"e1","tags":[],"to":["a@example.org"],"subject":"Bonjour"}}`, Message: []string{"data.email_id"}},
	} {
		t.Run(name, func(t *testing.T) {
			kept.Status = []string{"type"}
			kept.Open = func(t *testing.T) (func(string) int, *gatewaytest.Environment) {
				s, env := newFake(t).open(nil)
				return func(body string) int { return gatewaytest.Call(s.WebhookHandler(), signedCall(body, env.Clock.Now())) }, env
			}
			kept.Run(t)
		})
	}
}

// A receipt of no email and an email from a person are counted.
func TestReceipts_Counted(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	for _, body := range []string{`{"type":"email.sent","data":{}}`, `{"type":"email.received","created_at":"2026-11-04T10:00:00Z","data":{"email_id":"e1","from":"Aissata <aissata@example.org>","subject":"Bonjour"}}`} {
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(body, env.Clock.Now())); code != http.StatusNoContent {
			t.Errorf("%s: %d", body, code)
		}
	}
	if env.UnreadableReceipts() != 1 || env.Unhandled()[gateway.UnhandledKind] != 1 || len(env.Sink.Receipts()) != 0 || strings.Contains(env.Logged(), "issata") {
		t.Errorf("counted %d and %v, logged %s", env.UnreadableReceipts(), env.Unhandled(), env.Logged())
	}
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	failed := func(class gateway.Class, code, provider string) *gateway.Receipt {
		return &gateway.Receipt{Status: gateway.ReceiptFailed, Err: &gateway.Error{Class: class, Code: code, ProviderCode: provider}}
	}
	const email = `"email_id":"e1"`
	for name, tt := range map[string]struct {
		body string
		want *gateway.Receipt
	}{
		"sent":           {eventJSON("email.sent", "msg_1", email), &gateway.Receipt{Status: gateway.ReceiptSent}},
		"delivered":      {eventJSON("email.delivered", "msg_1", email), &gateway.Receipt{Status: gateway.ReceiptDelivered}},
		"bounced":        {eventJSON("email.bounced", "msg_1", email+`,"bounce":{"message":"m aissata@example.org","type":"Permanent","subType":"General"}`), failed(gateway.Unreachable, "bounced", "Permanent General")},
		"bounced, bare":  {eventJSON("email.bounced", "msg_1", email), failed(gateway.Unreachable, "bounced", "")},
		"bounced, odd":   {eventJSON("email.bounced", "msg_1", email+`,"bounce":{"type":"<aissata@example.org>"}`), failed(gateway.Unreachable, "bounced", "")},
		"mailbox full":   {eventJSON("email.bounced", "msg_1", email+`,"bounce":{"type":"Transient","subType":"MailboxFull"}`), failed(gateway.Temporary, "bounced_for_now", "Transient MailboxFull")},
		"complained":     {eventJSON("email.complained", "msg_1", email), failed(gateway.Unreachable, "complained", "")},
		"suppressed":     {eventJSON("email.suppressed", "msg_1", email), failed(gateway.Unreachable, "suppressed", "")},
		"failed":         {eventJSON("email.failed", "msg_1", email+`,"failed":{"reason":"reached_daily_quota"}`), failed(gateway.Permanent, "message_refused", "")},
		"tags in a list": {strings.Replace(eventJSON("email.sent", "x", email), `{"griot_message":"x"}`, `[{"name":"a","value":"b"},{"name":"griot_message","value":"msg_1"}]`, 1), &gateway.Receipt{Status: gateway.ReceiptSent}},
		"opened":         {eventJSON("email.opened", "msg_1", email), nil},
		"clicked":        {eventJSON("email.clicked", "msg_1", email), nil},
		"delayed":        {eventJSON("email.delivery_delayed", "msg_1", email), nil},
		"contact":        {`{"type":"contact.created","created_at":"2026-11-04T10:00:00Z","data":"x"}`, nil},
		"nothing":        {`{"type":"email.sent","data":{}}`, nil},
		"null":           {`null`, nil},
	} {
		s, env := newFake(t).open(nil)
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(tt.body, env.Clock.Now())); code != http.StatusNoContent {
			t.Errorf("%s: %d", name, code)
		}
		var want []gateway.Receipt
		if tt.want != nil {
			tt.want.Ref, tt.want.ProviderID, tt.want.At = "msg_1", "e1", time.Date(2026, 11, 4, 10, 0, 0, 126_000_000, time.UTC)
			want = []gateway.Receipt{*tt.want}
		}
		if diff := cmp.Diff(want, env.Sink.Receipts()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.Contains(env.Logged(), "aissata") {
			t.Errorf("%s: the log repeats the address", name)
		}
	}
}

func TestReceipts_OfOtherSenders(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	for _, tags := range []string{`[]`, `{}`, `null`, `7`, `{"griot_message":7}`} {
		body := strings.Replace(eventJSON("email.sent", "x", `"email_id":"e1"`), `{"griot_message":"x"}`, tags, 1)
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(body, env.Clock.Now())); code != http.StatusNoContent {
			t.Errorf("%s: %d", tags, code)
		}
	}
	for _, r := range env.Sink.Receipts() {
		if r.Ref != "" || r.ProviderID != "e1" {
			t.Errorf("%+v", r)
		}
	}
}

func TestWebhook_SinkFails(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	env.Sink.Refuse(1)
	for i, want := range []int{500, 204} {
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(eventJSON("email.sent", "msg_1", `"email_id":"e"`), env.Clock.Now())); code != want {
			t.Errorf("%d: %d", i, code)
		}
	}
}

// A wrong signature is refused before the body is parsed. Parsing would result in 400.
func TestWebhook_Signatures(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	now := env.Clock.Now()
	body := eventJSON("email.sent", "msg_1", `"email_id":"e"`)
	good := signedCall(body, now).Header.Get("svix-signature")
	for name, change := range map[string]func(h http.Header){
		"none":           func(h http.Header) { h.Del("svix-signature") },
		"no id":          func(h http.Header) { h.Del("svix-id") },
		"no time":        func(h http.Header) { h.Del("svix-timestamp") },
		"another id":     func(h http.Header) { h.Set("svix-id", "msg_2") },
		"another time":   func(h http.Header) { h.Set("svix-timestamp", h.Get("svix-timestamp")+"0") },
		"another scheme": func(h http.Header) { h.Set("svix-signature", strings.Replace(good, "v1,", "v1a,", 1)) },
		"cut":            func(h http.Header) { h.Set("svix-signature", good[:20]) },
		"not base64":     func(h http.Header) { h.Set("svix-signature", "v1,~~") },
		"empty":          func(h http.Header) { h.Set("svix-signature", "v1,") },
	} {
		for _, text := range []string{body, "{"} {
			r := signedCall(text, now)
			change(r.Header)
			if code := gatewaytest.Call(s.WebhookHandler(), r); code != http.StatusForbidden {
				t.Errorf("%s: %d", name, code)
			}
		}
	}
	for _, stale := range []time.Time{now.Add(-6 * time.Minute), now.Add(6 * time.Minute), time.Unix(0, 0)} {
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(body, stale)); code != http.StatusForbidden {
			t.Errorf("%v: %d", stale, code)
		}
	}
	if len(env.Sink.Receipts()) != 0 {
		t.Error("something was stored")
	}
	rotating := signedCall(body, now)
	rotating.Header.Set("svix-signature", "v1,bm9uZQ== v2,x "+good)
	standard := signedCall(body, now.Add(-4*time.Minute))
	for _, part := range []string{"id", "timestamp", "signature"} {
		standard.Header.Set("webhook-"+part, standard.Header.Get("svix-"+part))
		standard.Header.Del("svix-" + part)
	}
	for name, r := range map[string]*http.Request{"two signatures": rotating, "standard names": standard} {
		if code := gatewaytest.Call(s.WebhookHandler(), r); code != http.StatusNoContent {
			t.Errorf("%s: %d", name, code)
		}
	}
	if code := gatewaytest.Call(s.WebhookHandler(), signedCall("{", now)); code != http.StatusBadRequest {
		t.Errorf("unreadable: %d", code)
	}
	if code := gatewaytest.Call(s.WebhookHandler(), signedCall(strings.Repeat(" ", maxBody+1), now)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", code)
	}
	closed, _ := newFake(t).open(map[string]any{"webhook_secret": ""})
	if code := gatewaytest.Call(closed.WebhookHandler(), signedCall(body, now)); code != http.StatusForbidden || closed.Info().Receipts {
		t.Errorf("without a secret: %d", code)
	}
}

// Svix's own library created the signature (test/system/peers compares others).
func TestSign_KnownAnswer(t *testing.T) {
	t.Parallel()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	got := base64.StdEncoding.EncodeToString(sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314, "é": "☀"}`)))
	if want := "1te+BN4HKjha0SB46txXzPOyy1Zi5onZv0sxInxrlug="; got != want {
		t.Errorf("signed as %s, want %s", got, want)
	}
}

func FuzzWebhook(f *testing.F) {
	for _, kind := range []string{"email.sent", "email.bounced", "email.complained", "email.opened", "domain.created"} {
		f.Add([]byte(eventJSON(kind, "msg_1", `"email_id":"e","bounce":{"type":"Permanent","subType":"General"}`)))
	}
	f.Add([]byte(`{"type":"email.sent","created_at":7,"data":{"tags":[{"name":"griot_message"}]}}`))
	env := gatewaytest.NewEnvironment()
	opened, err := Open(json.RawMessage(`{"api_key":"a"}`), env.Deps())
	if err != nil {
		f.Fatal(err)
	}
	s := opened.(*sender)
	f.Fuzz(func(t *testing.T, body []byte) {
		r, ok, err := s.readReceipt(body)
		if ok && (err != nil || r.Ref+r.ProviderID == "" || r.At.IsZero() || (r.Status == gateway.ReceiptFailed) != (r.Err != nil) || strings.ContainsRune(r.Ref+r.ProviderID, 0)) {
			t.Errorf("%+v %v", r, err)
		}
	})
}
