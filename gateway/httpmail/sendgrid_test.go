package httpmail

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sendgrid/sendgrid-go/helpers/eventwebhook"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

const (
	sgSignature = "X-Twilio-Email-Event-Webhook-Signature"
	sgTimestamp = "X-Twilio-Email-Event-Webhook-Timestamp"
)

// newKey returns a key pair; the public key is in the form of SendGrid's dashboard.
func newKey() (key *ecdsa.PrivateKey, public string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err)
	}
	return key, base64.StdEncoding.EncodeToString(der)
}

func sgSign(key *ecdsa.PrivateKey, stamp, body string) string {
	sum := sha256.Sum256([]byte(stamp + body))
	signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(signature)
}

// By twilio.com/docs/sendgrid: api-reference/mail-send, for-developers/tracking-events/event, and …/getting-started-event-webhook-security-features.
func sendgrid(key *ecdsa.PrivateKey, public string) provider {
	type address struct {
		Email string `json:"email"`
		Name  string `json:"name"`
	}
	type on struct {
		Enable *bool `json:"enable"`
		Text   *bool `json:"enable_text"`
	}
	off := func(o on) bool { return o.Enable != nil && !*o.Enable }
	return provider{
		preset:  "sendgrid",
		secrets: []string{"SG.balafon"},
		settings: map[string]any{
			"values":   map[string]any{"api_key": map[string]any{"value": "SG.balafon"}},
			"receipts": map[string]any{"auth": map[string]any{"public_key": public}},
		},
		login: func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer SG.balafon" },
		read: func(r *http.Request, body []byte) (gatewaytest.Received, error) {
			var m struct {
				Personalizations []struct {
					To []address `json:"to"`
				} `json:"personalizations"`
				From    address `json:"from"`
				Subject string  `json:"subject"`
				Content []struct {
					Type  string `json:"type"`
					Value string `json:"value"`
				} `json:"content"`
				Headers    map[string]string `json:"headers"`
				CustomArgs map[string]string `json:"custom_args"`
				Tracking   struct {
					Click        on `json:"click_tracking"`
					Open         on `json:"open_tracking"`
					Subscription on `json:"subscription_tracking"`
				} `json:"tracking_settings"`
			}
			err := decodeStrict(body, &m)
			if err != nil || r.URL.String() != "/v3/mail/send" || r.Header.Get("Content-Type") != "application/json" || len(m.Personalizations) != 1 || len(m.Personalizations[0].To) != 1 || len(m.Content) == 0 ||
				!off(m.Tracking.Click) || !off(m.Tracking.Open) || !off(m.Tracking.Subscription) || m.Tracking.Click.Text == nil || *m.Tracking.Click.Text ||
				m.Headers["Message-ID"] != "<"+m.CustomArgs["griot_message"]+"@example.com>" {
				return gatewaytest.Received{}, cmp.Or(err, errors.New("not of that shape"))
			}
			got := gatewaytest.Received{Ref: m.CustomArgs["griot_message"], To: m.Personalizations[0].To[0].Email, Subject: m.Subject}
			for i, c := range m.Content { // text first, and none empty
				switch {
				case c.Value == "", c.Type == "text/plain" && i > 0:
					return got, errors.New("content")
				case c.Type == "text/plain":
					got.Text = c.Value
				case c.Type == "text/html":
					got.HTML = c.Value
				}
			}
			return got, nil
		},
		accepted: func(id string) peertest.Reply {
			return peertest.Reply{Status: 202, Header: map[string]string{"X-Message-Id": id}}
		},
		refused: func(mode, words string) peertest.Reply {
			status, field := 400, `"subject"`
			switch mode {
			case "refuse for now":
				status, field = 429, "null"
			case "refuse recipient":
				field = `"personalizations.0.to.0.email"`
			case "refuse login":
				status, field = 401, "null"
			}
			return peertest.Reply{Status: status, Body: `{"errors":[{"message":` + quoted(words) + `,"field":` + field + `,"help":null}]}`}
		},
		event: func(kind, ref, id string, at time.Time) string {
			return "[" + sgEvent("deferred", ref, at.Unix(), "") + "," + sgEvent(kind, ref, at.Unix(), `,"response":"250 OK"`) + "]"
		},
		call: func(body string, at time.Time) *http.Request {
			stamp := strconv.FormatInt(at.Unix(), 10)
			return post(body, sgTimestamp, stamp, sgSignature, sgSign(key, stamp, body))
		},
	}
}

func sgEvent(kind, ref string, at int64, more string) string {
	return fmt.Sprintf(`{"email":"aissata@example.org","timestamp":%d,"smtp-id":"<14c5d75ce93.dfd.64b469@ismtpd-555>","event":%q,"category":["a"],"sg_event_id":"e","sg_message_id":"14c5d75ce93.filter0001","griot_message":%q%s}`, at, kind, ref, more)
}

func TestSendGrid(t *testing.T) {
	conformance(t, sendgrid(newKey()))
}

func TestSendGrid_Request(t *testing.T) {
	t.Parallel()
	wantRequest(t, sendgrid(newKey()), `{"content":[{"type":"text/plain","value":"Bonjour baobab"},{"type":"text/html","value":"`+`\u003cp\u003eBonjour \"baobab\" {{to}}\u003c/p\u003e`+`"}],"custom_args":{"griot_message":"`+ref+
		`"},"from":{"email":"bonjour@example.com","name":`+quoted(nameOfFrom)+`},"headers":{"Message-ID":"\u003c`+ref+`@example.com\u003e"},"personalizations":[{"to":[{"email":"aissata@example.org"}]}],"subject":"`+safeSubject+
		`","tracking_settings":{"click_tracking":{"enable":false,"enable_text":false},"open_tracking":{"enable":false},"subscription_tracking":{"enable":false}}}`,
		`"List-Unsubscribe":"\u003chttps://example.com/u/`+ref+`\u003e","List-Unsubscribe-Post":"List-Unsubscribe=One-Click"`)
}

func TestSendGrid_Answers(t *testing.T) {
	t.Parallel()
	wantAnswers(t, sendgrid(newKey()), map[string]string{
		`202 `: "ack x-1",
		`200 `: "unknown answer_unexplained 200", // sandbox mode
		`400 {"errors":[{"message":"Does not contain a valid address.","field":"personalizations.0.to.0.email","help":"x"}]}`:      "unreachable recipient_refused personalizations.0.to.0.email",
		`400 {"errors":[{"message":"Does not contain a valid address.","field":"from.email","help":"x"}]}`:                         "sender_down sender_refused from.email",
		`400 {"errors":[{"message":"The subject is required.","field":"subject","help":"x"}]}`:                                     "permanent message_refused subject",
		`401 {"errors":[{"message":"The provided authorization grant is invalid, expired, or revoked","field":null,"help":null}]}`: "sender_down credentials_refused 401",
		`401 {"errors":[{"message":"Maximum credits exceeded","field":null,"help":null}]}`:                                         "sender_down balance_empty 401",
		`403 {"errors":[{"message":"The from address does not match a verified Sender Identity.","field":"from","help":null}]}`:    "sender_down sender_refused from",
		`403 {"errors":[{"message":"access forbidden","field":null,"help":null}]}`:                                                 "sender_down credentials_refused 403",
		`413 `:       "permanent message_refused 413",
		`429 `:       "rate_limited rate_limited 429",
		`500 `:       "unknown answer_unexplained 500",
		`503 <html>`: "temporary provider_unavailable 503",
	})
}

func TestSendGrid_Events(t *testing.T) {
	t.Parallel()
	one := func(kind, more string) string { return "[" + sgEvent(kind, ref, 1763640000, more) + "]" }
	wantEvents(t, sendgrid(newKey()), map[string]string{
		one("processed", ""):                                               ref + " sent",
		one("delivered", `,"response":"250 2.0.0 OK"`):                     ref + " delivered",
		one("deferred", `,"response":"400 try again later","attempt":"5"`): "",
		one("bounce", `,"type":"bounce","status":"5.1.1","reason":"550 5.1.1 no such user aissata@example.org"`):             ref + " failed unreachable bounced 5.1.1",
		one("bounce", `,"type":"blocked","status":"5.7.1","reason":"550 spam"`):                                              ref + " failed temporary bounced_for_now 5.7.1",
		one("bounce", `,"type":"blocked","reason":"unable to get mx info: aissata@example.org","bounce_classification":"x"`): ref + " failed temporary bounced_for_now",
		one("dropped", `,"reason":"Bounced Address"`):                                                                        ref + " failed unreachable suppressed",
		one("dropped", `,"reason":"Spam Reporting Address"`):                                                                 ref + " failed unreachable suppressed",
		one("dropped", `,"reason":"Unsubscribed Address"`):                                                                   ref + " failed unreachable unsubscribed",
		one("dropped", `,"reason":"Invalid"`):                                                                                ref + " failed unreachable bounced",
		one("dropped", `,"reason":"Spam Content"`):                                                                           ref + " failed permanent delivery_failed",
		one("spamreport", ""):                   ref + " failed unreachable complained",
		one("unsubscribe", ""):                  ref + " failed unreachable unsubscribed",
		one("group_unsubscribe", ""):            ref + " failed unreachable unsubscribed",
		one("group_resubscribe", ""):            "",
		one("open", ""):                         "",
		one("click", ""):                        "",
		`[]`:                                    "",
		`[null,7,"x",{},{"event":"delivered"}]`: "", // other programs use this account too
		`[{"event":"delivered","griot_message":{}},` + sgEvent("delivered", ref, 1763640000, "") + `]`: ref + " delivered",
	})
}

// A batch is acknowledged when each event is stored; otherwise all of it is repeated.
func TestSendGrid_Batches(t *testing.T) {
	t.Parallel()
	p := sendgrid(newKey())
	s, env := newFake(t, p).open(nil)
	var events []string
	for i := range 500 {
		events = append(events, sgEvent("delivered", fmt.Sprintf("msg_%d", i), env.Clock.Now().Unix(), ""))
	}
	body := "[" + strings.Join(events, ",") + "]"
	env.Sink.Refuse(1)
	for i, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		if code := gatewaytest.Call(handler(s), p.call(body, env.Clock.Now())); code != want {
			t.Errorf("%d: %d", i, code)
		}
	}
	seen := map[string]bool{}
	for _, r := range env.Sink.Receipts() {
		seen[r.Ref] = true
	}
	if len(seen) != 500 {
		t.Errorf("%d of 500 are stored", len(seen))
	}
}

func TestSendGrid_Signatures(t *testing.T) {
	t.Parallel()
	key, public := newKey()
	p := sendgrid(key, public)
	s, env := newFake(t, p).open(nil)
	now := env.Clock.Now()
	stamp := strconv.FormatInt(now.Unix(), 10)
	body := p.event("delivered", ref, "id", now)
	other, _ := newKey()
	calls := map[string]*http.Request{
		"none":           post(body),
		"no time":        post(body, sgSignature, sgSign(key, "", body)),
		"no signature":   post(body, sgTimestamp, stamp),
		"another key":    post(body, sgTimestamp, stamp, sgSignature, sgSign(other, stamp, body)),
		"another time":   post(body, sgTimestamp, strconv.FormatInt(now.Unix()+1, 10), sgSignature, sgSign(key, stamp, body)),
		"another body":   post(body+" ", sgTimestamp, stamp, sgSignature, sgSign(key, stamp, body)),
		"body unparsed":  post("{", sgTimestamp, stamp, sgSignature, sgSign(key, stamp, body)), // 400 would mean that it was parsed
		"not base64":     post(body, sgTimestamp, stamp, sgSignature, "~~"),
		"empty":          post(body, sgTimestamp, stamp, sgSignature, ""),
		"no number":      post(body, sgTimestamp, "soon", sgSignature, sgSign(key, "soon", body)),
		"moved boundary": post(body[1:], sgTimestamp, stamp+body[:1], sgSignature, sgSign(key, stamp, body)),
	}
	for name, at := range map[string]time.Time{"stale": now.Add(-26 * time.Hour), "ahead": now.Add(6 * time.Minute), "1970": time.Unix(0, 0)} {
		calls[name] = p.call(body, at)
	}
	wantRefused(t, p, calls)
	if code := gatewaytest.Call(handler(s), p.call(body, now.Add(-24*time.Hour))); code != http.StatusOK { // SendGrid retries for a day
		t.Errorf("a late one: %d", code)
	}
	// Twilio's library verifies the same signatures.
	theirs, err := eventwebhook.ConvertPublicKeyBase64ToECDSA(public)
	if err != nil {
		t.Fatal(err)
	}
	r := p.call(body, now)
	for text, want := range map[string]bool{body: true, body + " ": false} {
		if ok, err := eventwebhook.VerifySignature(theirs, []byte(text), r.Header.Get(eventwebhook.VerificationHTTPHeader), r.Header.Get(eventwebhook.TimestampHTTPHeader)); err != nil || ok != want {
			t.Errorf("the library says %v of %q: %v", ok, text, err)
		}
	}
}

// A signature of SendGrid, published in the tests of Twilio's library.
func TestSendGrid_TheirSignature(t *testing.T) {
	t.Parallel()
	const (
		public    = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=="
		signature = "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM="
		stamp     = 1600112502
		body      = `[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",` +
			`"sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]` + "\r\n"
	)
	s, env := newFake(t, sendgrid(nil, public)).open(nil)
	env.Clock.Advance(time.Unix(stamp, 0).Sub(env.Clock.Now()))
	call := func(body string) *http.Request {
		return post(body, sgTimestamp, strconv.Itoa(stamp), sgSignature, signature)
	}
	if code := gatewaytest.Call(handler(s), call(body)); code != http.StatusOK {
		t.Errorf("SendGrid's own: %d", code)
	}
	if code := gatewaytest.Call(handler(s), call(strings.Replace(body, "hello", "jello", 1))); code != http.StatusUnauthorized {
		t.Errorf("changed: %d", code)
	}
}
