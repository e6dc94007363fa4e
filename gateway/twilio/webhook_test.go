package twilio

import (
	gocmp "cmp"
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

func status(kind, code string) url.Values {
	return url.Values{"MessageSid": {"SM1"}, "MessageStatus": {kind}, "ErrorCode": {code}, "To": {"+" + aissata}, "AccountSid": {account}}
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	now := env.Clock.Now()
	failed := func(class gateway.Class, code, provider string) gateway.Receipt {
		return gateway.Receipt{Status: gateway.ReceiptFailed, Err: &gateway.Error{Class: class, Code: code, ProviderCode: provider}}
	}
	var want []gateway.Receipt
	for _, tt := range []struct {
		kind, code string
		want       *gateway.Receipt
	}{
		{"queued", "", nil},
		{"sending", "", nil},
		{"accepted", "", nil},
		{"scheduled", "", nil},
		{"", "", nil},
		{"sent", "", &gateway.Receipt{Status: gateway.ReceiptSent}},
		{"delivered", "", &gateway.Receipt{Status: gateway.ReceiptDelivered}},
		{"read", "", &gateway.Receipt{Status: gateway.ReceiptRead}},
		{"undelivered", "30003", new(failed(gateway.Unreachable, "recipient_unreachable", "30003"))},
		{"undelivered", "30005", new(failed(gateway.Unreachable, "recipient_unreachable", "30005"))},
		{"failed", "30007", new(failed(gateway.Permanent, "message_filtered", "30007"))},
		{"failed", "30036", new(failed(gateway.Permanent, "expired", "30036"))},
		{"failed", "30008", new(failed(gateway.Temporary, "delivery_failed", "30008"))},
		{"failed", "12345", new(failed(gateway.Permanent, "delivery_failed", "12345"))},
		{"failed", "", new(failed(gateway.Permanent, "delivery_failed", ""))},
		{"canceled", "", new(failed(gateway.Permanent, "delivery_failed", ""))},
	} {
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(public+"/status/msg_1", status(tt.kind, tt.code))); code != http.StatusNoContent {
			t.Errorf("%s: %d", tt.kind, code)
		}
		if tt.want != nil {
			tt.want.Ref, tt.want.ProviderID, tt.want.At = "msg_1", "SM1", now
			want = append(want, *tt.want)
		}
	}
	if diff := cmp.Diff(want, env.Sink.Receipts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInbound(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	now := env.Clock.Now()
	for _, form := range []url.Values{
		{"MessageSid": {"SM1"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"Où est ma commande ?"}, "NumMedia": {"0"}, "FromCity": {"BAMAKO"}},
		{"MessageSid": {"SM2"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"a\x00b\xff"}},
		{"MessageSid": {"SM3"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"c"}, "NumMedia": {"1"}, "MediaUrl0": {"https://api.twilio.com/x"}, "MediaContentType0": {"image/png"}},
		{"MessageSid": {"SM4"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "MediaUrl0": {"https://api.twilio.com/x"}, "MediaContentType0": {"text/vcard"}},
		{"MessageSid": {"SM7"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"Assez"}, "OptOutType": {"STOP"}},
		{"MessageSid": {"SM8"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"Encore"}, "OptOutType": {"START"}},
		{"MessageSid": {"SM9"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"Aide"}, "OptOutType": {"HELP"}},
		{"MessageSid": {"SM6"}, "From": {"+" + aissata}, "To": {"36000"}, "Body": {"to a short code"}},
		{"MessageSid": {"SM5"}, "From": {"36000"}, "To": {"+" + ourNumber}, "Body": {"a short code"}},
		{"MessageSid": {"SM10"}, "From": {"70000001"}, "To": {"+" + ourNumber}, "Body": {"STOP"}, "OptOutType": {"STOP"}},
		{"MessageSid": {"SM11"}, "To": {"+" + ourNumber}, "Body": {"nobody"}},
	} {
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(public+"/inbound", form)); code != http.StatusNoContent {
			t.Errorf("%v: %d", form, code)
		}
	}
	if got := env.Unhandled(); got[gateway.UnhandledNoSender] != 1 || len(got) != 1 {
		t.Errorf("counted %v, want the message without a sender", got)
	}
	want := []gateway.Inbound{
		{ID: "SM1", Type: "text", Text: "Où est ma commande ?"},
		{ID: "SM2", Type: "text", Text: "ab\uFFFD"},
		{ID: "SM3", Type: "image", Text: "c", MediaURL: "https://api.twilio.com/x", MIMEType: "image/png"},
		{ID: "SM4", Type: "document", MediaURL: "https://api.twilio.com/x", MIMEType: "text/vcard"},
		{ID: "SM7", Type: "text", Text: "Assez", OptOut: gateway.OptOutStopped},
		{ID: "SM8", Type: "text", Text: "Encore", OptOut: gateway.OptOutStarted},
		{ID: "SM9", Type: "text", Text: "Aide"},
		{ID: "SM6", Type: "text", Text: "to a short code", To: "36000"},
		{ID: "SM5", Type: "text", Text: "a short code", Local: "36000"},
		{ID: "SM10", Type: "text", Text: "STOP", Local: "70000001", OptOut: gateway.OptOutStopped},
	}
	for i := range want {
		want[i].Channel, want[i].To, want[i].At = gateway.SMS, gocmp.Or(want[i].To, ourNumber), now
		if want[i].Local == "" {
			want[i].From = aissata
		}
	}
	if diff := cmp.Diff(want, env.Sink.Messages()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(env.Logged(), aissata) || strings.Contains(env.Logged(), "commande") {
		t.Error("the log repeats the message")
	}
}

// No message is lost because of a single parameter.
func TestInbound_Kept(t *testing.T) {
	t.Parallel()
	kept := peertest.KeptMessage{
		Call: url.Values{
			"MessageSid": {"SM1"}, "SmsSid": {"SM1"}, "AccountSid": {account}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"Bonjour"}, "NumMedia": {"0"}, "NumSegments": {"1"},
			"SmsStatus": {"received"}, "ApiVersion": {"2010-04-01"}, "FromCountry": {"ML"}, "ToCountry": {"ML"},
		}.Encode(),
		From: aissata, Text: "Bonjour", Sender: []string{"From"}, Body: []string{"Body"},
		Open: func(t *testing.T) (func(string) int, *gatewaytest.Environment) {
			s, env := newFake(t).open(nil)
			return func(body string) int {
				form, _ := url.ParseQuery(body)
				return gatewaytest.Call(s.WebhookHandler(), signedCall(public+"/inbound", form))
			}, env
		},
	}
	kept.Run(t)
}

func TestWebhook_SinkFails(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	form := url.Values{"MessageSid": {"SM1"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"a"}}
	env.Sink.Refuse(2)
	for i, want := range []int{500, 500, 204} {
		at, f := public+"/inbound", form
		if i == 1 {
			at, f = public+"/status/msg_1", status("sent", "")
		}
		if code := gatewaytest.Call(s.WebhookHandler(), signedCall(at, f)); code != want {
			t.Errorf("%d: %d", i, code)
		}
		form = url.Values{"MessageSid": {"SM1"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"a"}}
	}
}

// A wrong signature is refused on every path and with every body.
func TestWebhook_Signatures(t *testing.T) {
	t.Parallel()
	s, env := newFake(t).open(nil)
	form := status("delivered", "")
	at := public + "/status/msg_1"
	for name, header := range map[string]string{
		"none": "", "another token": signSHA1("other", at, form), "of another message": signSHA1(token, public+"/status/msg_2", form), "of another form": signSHA1(token, at, status("sent", "")),
		"of another host": signSHA1(token, "https://evil.test/gateways/sms/status/msg_1", form), "empty token": signSHA1("", at, form), "cut": signSHA1(token, at, form)[:20], "with a query": signSHA1(token, at+"?a=b", form),
	} {
		r := signedCall(at, form)
		r.Header.Set("X-Twilio-Signature", header)
		if code := gatewaytest.Call(s.WebhookHandler(), r); code != http.StatusForbidden {
			t.Errorf("%s: %d", name, code)
		}
	}
	for _, good := range []string{at, strings.Replace(at, ".com/", ".com:443/", 1)} {
		r := signedCall(at, form)
		r.Header.Set("X-Twilio-Signature", signSHA1(token, good, form))
		if code := gatewaytest.Call(s.WebhookHandler(), r); code != http.StatusNoContent {
			t.Errorf("%s: %d", good, code)
		}
	}
	if code := gatewaytest.Call(s.WebhookHandler(), signedCall(public+"/elsewhere", form)); code != http.StatusNotFound {
		t.Errorf("another path: %d", code)
	}
	big := url.Values{"Body": {strings.Repeat("a", maxBody)}}
	if code := gatewaytest.Call(s.WebhookHandler(), signedCall(public+"/inbound", big)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", code)
	}
	bad := signedCall(public+"/inbound", form)
	bad.Body = http.NoBody
	if code := gatewaytest.Call(s.WebhookHandler(), bad); code != http.StatusForbidden {
		t.Errorf("without a body: %d", code)
	}
	if n := len(env.Sink.Receipts()) + len(env.Sink.Messages()); n != 2 {
		t.Errorf("%d items were stored", n)
	}
	closed, _ := newFake(t).open(map[string]any{"webhook_url": ""})
	if code := gatewaytest.Call(closed.WebhookHandler(), signedCall(at, form)); code != http.StatusForbidden {
		t.Errorf("without webhook_url: %d", code)
	}
}

// Twilio's own library created the signature (test/system/peers compares more of them).
func TestSign_KnownAnswer(t *testing.T) {
	t.Parallel()
	form := url.Values{"Body": {"Où est ma commande ? ☀ a&b=c+d"}, "From": {"+22370000011"}, "To": {"+22376000001"}, "Media": {"z", "a", "z", "m"}}
	if got, want := signSHA1(token, public+"/inbound", form), "WPqecYJ9qJ7YOmPFYhYzocwavEQ="; got != want {
		t.Errorf("signed as %s, want %s", got, want)
	}
}

const (
	sharedID     = "webhooks_sharedkey_01k6h2v9aceg9bkz3tcm8f5x7d"
	sharedSecret = "koraSharedSecret0123456789"
	newID        = "webhooks_sharedkey_01k6j4w0bdfh8cmy4sdn7g6z9e"
	newSecret    = "newSharedSecret0123456789"
)

// Twilio's library 6.3.1 for Node created the signature, with getExpectedTwilioSignature(…, "HMAC_SHA256").
func TestSign_KnownAnswerOfSharedKey(t *testing.T) {
	t.Parallel()
	form := url.Values{"Body": {"Où est ma commande ? ☀ a&b=c+d"}, "From": {"+22370000011"}, "To": {"+22376000001"}, "Media": {"z", "a", "z", "m"}}
	if got, want := sign(sha256.New, sharedSecret, public+"/inbound", form), "t3UiYSU/9F29QrcM++fiDQdH4CvUi4AO/kP9DkOJshc="; got != want {
		t.Errorf("signed as %s, want %s", got, want)
	}
}

// Calls with the header are signed with a shared key and SHA-256, and calls without it with the auth token and SHA-1.
func TestWebhook_SharedKeys(t *testing.T) {
	t.Parallel()
	at, form := public+"/inbound", url.Values{"MessageSid": {"SM1"}, "From": {"+" + aissata}, "To": {"+" + ourNumber}, "Body": {"a"}}
	keys := []any{map[string]any{"id": sharedID, "secret": sharedSecret}, map[string]any{"id": newID, "secret": newSecret}}
	api := map[string]any{"api_key_sid": "SK0123456789abcdef0123456789abcdef", "api_key_secret": "balafon"}
	only := map[string]any{"auth_token": "", "shared_keys": keys, "api_key_sid": api["api_key_sid"], "api_key_secret": api["api_key_secret"]}
	both, tokenOnly := map[string]any{"shared_keys": keys}, map[string]any{}
	named := func(id string) string { return "key=" + id + ",algorithm=HMAC_SHA256" }
	sha256Of := func(secret string) string { return sign(sha256.New, secret, at, form) }
	for name, tt := range map[string]struct {
		settings          map[string]any
		header, signature string
		want              int
	}{
		"the first key":                             {both, named(sharedID), sha256Of(sharedSecret), 204},
		"the second key":                            {both, named(newID), sha256Of(newSecret), 204},
		"only shared keys":                          {only, named(sharedID), sha256Of(sharedSecret), 204},
		"other spaces, order, and case":             {both, " algorithm = hmac_sha256 , key = " + sharedID, sha256Of(sharedSecret), 204},
		"the token, with keys configured":           {both, "", signSHA1(token, at, form), 204},
		"the token, without keys":                   {tokenOnly, "", signSHA1(token, at, form), 204},
		"the token, only keys are configured":       {only, "", signSHA1(token, at, form), 403},
		"no token, only keys are configured":        {only, "", signSHA1("", at, form), 403},
		"the key without the header":                {only, "", sha256Of(sharedSecret), 403},
		"the key with SHA-1 and without the header": {only, "", signSHA1(sharedSecret, at, form), 403},
		"the key with SHA-1":                        {both, "key=" + sharedID + ",algorithm=HMAC_SHA1", signSHA1(sharedSecret, at, form), 403},
		"the key without an algorithm":              {both, "key=" + sharedID, signSHA1(sharedSecret, at, form), 403},
		"the key, SHA-1 named as SHA-256":           {both, named(sharedID), signSHA1(sharedSecret, at, form), 403},
		"the token with SHA-256":                    {both, named(sharedID), sha256Of(token), 403},
		"the token with the header, without keys":   {tokenOnly, named(sharedID), signSHA1(token, at, form), 403},
		"the token as a key, without keys":          {tokenOnly, named(sharedID), sha256Of(token), 403},
		"the secret of the other key":               {both, named(newID), sha256Of(sharedSecret), 403},
		"an unknown key":                            {both, named("webhooks_sharedkey_other"), sha256Of(sharedSecret), 403},
		"no key":                                    {both, "algorithm=HMAC_SHA256", sha256Of(""), 403},
		"an unknown algorithm":                      {both, "key=" + sharedID + ",algorithm=HMAC_SHA512", sha256Of(sharedSecret), 403},
		"something else":                            {both, ",=,", sha256Of(sharedSecret), 403},
		"no signature":                              {both, named(sharedID), "", 403},
		"a signature of another message":            {both, named(sharedID), sign(sha256.New, sharedSecret, at, url.Values{"Body": {"b"}}), 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, env := newFake(t).open(tt.settings)
			r := signedCall(at, form)
			r.Header.Set("X-Twilio-Signature", tt.signature)
			if tt.header != "" {
				r.Header.Set("X-Twilio-Webhooks-Signature-Settings", tt.header)
			}
			if code := gatewaytest.Call(s.WebhookHandler(), r); code != tt.want {
				t.Errorf("answered with %d, want %d", code, tt.want)
			}
			if n := len(env.Sink.Messages()); (n == 1) != (tt.want == http.StatusNoContent) {
				t.Errorf("%d messages are stored", n)
			}
			if logged := env.Logged(); strings.Contains(logged, "Secret0") || strings.Contains(logged, token) || (tt.want == http.StatusForbidden) != strings.Contains(logged, "a webhook was refused") {
				t.Errorf("logged: %s", logged)
			}
		})
	}
}

func FuzzWebhook(f *testing.F) {
	f.Add("/status/msg_1", status("failed", "30003").Encode(), true)
	f.Add("/inbound", "MessageSid=a&From=%2B22370000011&To=%2B22376000001&Body=%00", true)
	f.Add("/status/%2e%2e/a?b=c", "a=%zz", false)
	f.Add("", ";", false)
	fake := &fake{t: f, Peer: &peertest.Peer{}}
	raw := fake.settings(map[string]any{"base_url": "https://api.test", "ca_file": ""})
	f.Fuzz(func(t *testing.T, at, body string, signed bool) {
		address, err := url.Parse(public + at)
		if err != nil || !strings.HasPrefix(address.Path, "/gateways/sms/") {
			return
		}
		s, env := openRaw(t, raw)
		form, _ := url.ParseQuery(body)
		r := signedCall(public+"/inbound", nil)
		r.URL = &url.URL{Path: strings.TrimPrefix(address.Path, "/gateways/sms"), RawPath: strings.TrimPrefix(address.RawPath, "/gateways/sms"), RawQuery: address.RawQuery}
		r.Body = http.NoBody
		if body != "" {
			r.Body = readCloser{strings.NewReader(body)}
		}
		r.ContentLength = int64(len(body))
		r.Header.Set("X-Twilio-Signature", "bm9uZQ==")
		if signed {
			below := r.URL.EscapedPath()
			if r.URL.RawQuery != "" {
				below += "?" + r.URL.RawQuery
			}
			r.Header.Set("X-Twilio-Signature", signSHA1(token, public+below, form))
		}
		code := gatewaytest.Call(s.WebhookHandler(), r)
		for _, in := range env.Sink.Messages() {
			if in.ID == "" || strings.ContainsRune(in.ID+in.Text+in.MediaURL+in.MIMEType, 0) {
				t.Errorf("%+v", in)
			}
		}
		came := len(env.Sink.Messages()) + len(env.Sink.Receipts())
		if !signed && (code != http.StatusForbidden || came != 0) || came > 1 {
			t.Errorf("%d, and %d things came in", code, came)
		}
	})
}
