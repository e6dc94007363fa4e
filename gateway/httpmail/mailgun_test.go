package httpmail

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

const mgKey = "kora-signing-key"

func mgSign(key, signed string) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(signed))
	return hex.EncodeToString(m.Sum(nil))
}

// By documentation.mailgun.com: user-manual/sending-messages, api-reference (messages), user-manual/webhooks, and …/securing-webhooks.
func mailgun() provider {
	return provider{
		preset:  "mailgun",
		secrets: []string{"key-balafon", mgKey},
		settings: map[string]any{
			"values":   map[string]any{"domain": map[string]any{"value": "mg.example.com"}},
			"basic":    map[string]any{"password": "key-balafon"},
			"receipts": map[string]any{"auth": map[string]any{"secret": mgKey}},
		},
		login: func(r *http.Request) bool {
			user, password, _ := r.BasicAuth()
			return user == "api" && password == "key-balafon"
		},
		read: func(r *http.Request, body []byte) (gatewaytest.Received, error) {
			form, err := url.ParseQuery(string(body))
			got := gatewaytest.Received{Ref: form.Get("v:griot_message"), To: form.Get("to"), Text: form.Get("text"), Subject: form.Get("subject"), HTML: form.Get("html")}
			for name, values := range form {
				if len(values) != 1 || values[0] == "" || !slices.Contains([]string{
					"from", "to", "subject", "text", "html", "h:Message-Id", "h:List-Unsubscribe", "h:List-Unsubscribe-Post", "v:griot_message", "o:tracking", "o:tracking-clicks", "o:tracking-opens",
				}, name) {
					err = fmt.Errorf("%s: %q", name, values)
				}
			}
			if r.URL.String() != "/v3/mg.example.com/messages" || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || form.Get("o:tracking")+form.Get("o:tracking-clicks")+form.Get("o:tracking-opens") != "nonono" ||
				form.Get("h:Message-Id") != "<"+got.Ref+"@example.com>" {
				err = errors.New("not of that shape")
			}
			return got, err
		},
		accepted: func(id string) peertest.Reply {
			return peertest.Reply{Status: 200, Body: `{"id":"<` + id + `>","message":"Queued. Thank you."}`}
		},
		refused: func(mode, words string) peertest.Reply {
			status, message := 400, "Need at least one of 'text' or 'html' parameters specified: "
			switch mode {
			case "refuse for now":
				status = 429
			case "refuse recipient":
				message = "'to' parameter is not a valid address. please check documentation: "
			case "refuse login":
				return peertest.Reply{Status: 401, Body: "Forbidden " + words}
			}
			return peertest.Reply{Status: status, Body: `{"message":` + quoted(message+words) + `}`}
		},
		event: func(kind, ref, id string, at time.Time) string {
			return mgEvent(`"event":"`+kind+`","timestamp":`+strconv.FormatInt(at.Unix(), 10)+`.329574`, ref, id)
		},
		call: func(body string, at time.Time) *http.Request {
			return post(mgCall(mgKey, body, at))
		},
	}
}

func mgEvent(more, ref, id string) string {
	return `{` + more + `,"id":"x","log-level":"info","recipient":"aissata@example.org","user-variables":{"griot_message":"` + ref + `"},"message":{"headers":{"to":"aissata@example.org","message-id":"` + id + `","subject":"S"},"size":7},"tags":[]}`
}

// mgCall returns a call's body; an event that isn't JSON is unchanged.
func mgCall(key, event string, at time.Time) string {
	if event == "" || !strings.HasPrefix(event, "{\"") {
		return event
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	return `{"signature":{"timestamp":"` + stamp + `","token":"a8ce0edb2dd8","signature":"` + mgSign(key, stamp+"a8ce0edb2dd8") + `"},"event-data":` + event + `}`
}

func TestMailgun(t *testing.T) {
	conformance(t, mailgun())
}

func TestMailgun_Request(t *testing.T) {
	t.Parallel()
	want := url.Values{
		"from": {fullFrom}, "to": {aissata}, "subject": {safeSubject}, "text": {"Bonjour baobab"}, "html": {message().HTML}, "h:Message-Id": {"<" + ref + "@example.com>"},
		"v:griot_message": {ref}, "o:tracking": {"no"}, "o:tracking-clicks": {"no"}, "o:tracking-opens": {"no"},
	}
	wantRequest(t, mailgun(), want.Encode(), url.Values{"h:List-Unsubscribe": {"<https://example.com/u/" + ref + ">"}, "h:List-Unsubscribe-Post": {"List-Unsubscribe=One-Click"}}.Encode())
}

func TestMailgun_Answers(t *testing.T) {
	t.Parallel()
	wantAnswers(t, mailgun(), map[string]string{
		`200 {"id":"<20111114174239.25659.5817@samples.mailgun.org>","message":"Queued. Thank you."}`: "ack 20111114174239.25659.5817@samples.mailgun.org",
		`200 Mailgun Magnificent API`: "sender_down gateway_misconfigured 200",
		`200 {}`:                      "unknown answer_unexplained 200",
		`400 {"message":"'to' parameter is not a valid address. please check documentation"}`:   "unreachable recipient_refused 400",
		`400 {"message":"to parameter is not a valid address. please check documentation"}`:     "unreachable recipient_refused 400",
		`400 {"message":"'from' parameter is not a valid address. please check documentation"}`: "sender_down sender_refused 400",
		`400 {"message":"Need at least one of 'text' or 'html' parameters specified"}`:          "permanent message_refused 400",
		`401 Forbidden`: "sender_down credentials_refused 401",
		`403 {"message":"Domain sandbox.mailgun.org is not allowed to send: Sandbox subdomains are for test only"}`: "sender_down sender_refused 403",
		`404 {"message":"Domain not found: mg.example.com"}`:                                                        "sender_down gateway_misconfigured 404",
		`429 {"message":"x"}`: "rate_limited rate_limited 429",
		`500 {"message":"x"}`: "unknown answer_unexplained 500",
		`502 <html>`:          "unknown answer_unexplained 502",
	})
}

func TestMailgun_Events(t *testing.T) {
	t.Parallel()
	event := func(more string) string {
		return mgEvent(`"timestamp":1763640000.153125,`+more, ref, "id@mg.example.com")
	}
	failed := func(severity, reason string, code int) string {
		return event(fmt.Sprintf(`"event":"failed","severity":%q,"reason":%q,"delivery-status":{"code":%d,"message":"aissata@example.org is unknown"}`, severity, reason, code))
	}
	wantEvents(t, mailgun(), map[string]string{
		event(`"event":"accepted"`):                         ref + " sent",
		event(`"event":"delivered"`):                        ref + " delivered",
		failed("permanent", "bounce", 550):                  ref + " failed unreachable bounced 550",
		failed("permanent", "suppress-bounce", 605):         ref + " failed unreachable suppressed 605",
		failed("permanent", "suppress-complaint", 607):      ref + " failed unreachable suppressed 607",
		failed("permanent", "suppress-unsubscribe", 606):    ref + " failed unreachable unsubscribed 606",
		failed("permanent", "old", 602):                     ref + " failed permanent delivery_failed 602",
		failed("temporary", "generic", 498):                 "",
		failed("temporary", "greylisted", 450):              "",
		failed("temporary", "old", 498):                     ref + " failed permanent delivery_failed 498",
		event(`"event":"rejected","reject":{"reason":"x"}`): ref + " failed permanent delivery_failed",
		event(`"event":"complained"`):                       ref + " failed unreachable complained",
		event(`"event":"unsubscribed"`):                     ref + " failed unreachable unsubscribed",
		event(`"event":"opened"`):                           "",
		mgEvent(`"event":"delivered"`, "not ours!", "id"):   "delivered",
	})
}

func TestMailgun_Signatures(t *testing.T) {
	t.Parallel()
	p := mailgun()
	s, env := newFake(t, p).open(nil)
	now := env.Clock.Now()
	event := p.event("delivered", ref, "id", now)
	good := mgCall(mgKey, event, now)
	stamp := strconv.FormatInt(now.Unix(), 10)
	calls := map[string]*http.Request{
		"none":              post(`{"event-data":` + event + `}`),
		"another key":       post(mgCall("kora", event, now)),
		"another token":     post(strings.Replace(good, "a8ce0edb2dd8", "a8ce0edb2dd9", 1)),
		"another time":      post(strings.Replace(good, stamp, strconv.FormatInt(now.Unix()+1, 10), 1)),
		"no hex":            post(strings.Replace(good, mgSign(mgKey, stamp+"a8ce0edb2dd8"), "zz", 1)),
		"not an object":     post(`{"signature":"x","event-data":` + event + `}`),
		"a list":            post(`[` + good + `]`),
		"elsewhere":         post(`{"event-data":` + good + `}`),
		"token in an array": post(strings.Replace(good, `"a8ce0edb2dd8"`, `["a8ce0edb2dd8"]`, 1)),
	}
	for name, at := range map[string]time.Time{"stale": now.Add(-9 * time.Hour), "ahead": now.Add(6 * time.Minute), "1970": time.Unix(0, 0)} {
		calls[name] = p.call(event, at)
	}
	wantRefused(t, p, calls)
	if code := gatewaytest.Call(handler(s), p.call(event, now.Add(-8*time.Hour))); code != http.StatusOK { // Mailgun retries for eight hours
		t.Errorf("a late one: %d", code)
	}
}
