package httpsms

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
)

func vonage(t *testing.T, env *gatewaytest.Environment, address string) *sender {
	return open(t, env, `{"preset":"vonage","url":"`+address+`","values":{"api_key":{"value":"k"},"api_secret":{"value":"s"}},"inbound":{`+tokened+`}}`)
}

// part returns a part of a long text in Vonage's form.
func part(ref string, n, total int, text string) *http.Request {
	return partOfMessage("m"+ref, ref, n, total, text)
}

func partOfMessage(id, ref string, n, total int, text string) *http.Request {
	return post("/inbound?token="+testToken, formType, url.Values{
		"msisdn": {aissata}, "to": {ourNumber}, "messageId": {fmt.Sprint(id, "-", n)}, "text": {text}, "type": {"text"}, "message-timestamp": {"2026-11-20 12:00:00"},
		"concat": {"true"}, "concat-ref": {ref}, "concat-total": {fmt.Sprint(total)}, "concat-part": {fmt.Sprint(n)},
	}.Encode(), "")
}

// Parts are joined in any order and with repetitions. They are acknowledged when all have arrived. Until then, each is refused.
func TestInbound_JoinsParts(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	h := vonage(t, env, "http://127.0.0.1:1").WebhookHandler()
	wantStatus(t, h, part("7", 3, 3, "Ségou."), http.StatusServiceUnavailable)
	wantStatus(t, h, part("8", 1, 2, "Autre "), http.StatusServiceUnavailable)
	wantStatus(t, h, part("7", 1, 3, "Bonjour "), http.StatusServiceUnavailable)
	wantStatus(t, h, part("7", 1, 3, "Bonjour "), http.StatusServiceUnavailable)
	if n := len(env.Sink.Messages()); n != 0 {
		t.Fatalf("%d messages before all parts are there, want 0", n)
	}
	env.Sink.Refuse(1)
	wantStatus(t, h, part("7", 2, 3, "de "), http.StatusServiceUnavailable)
	for _, n := range []int{2, 1, 3} {
		wantStatus(t, h, part("7", n, 3, "again"), http.StatusOK)
	}
	wantStatus(t, h, part("8", 2, 2, "texte"), http.StatusOK)
	var texts []string
	for _, m := range env.Sink.Messages() {
		texts = append(texts, m.Text)
		if m.From != aissata || m.To != ourNumber || m.ID == "" {
			t.Errorf("%+v", m)
		}
	}
	if got := strings.Join(texts, "|"); got != "Bonjour de Ségou.|Autre texte" {
		t.Errorf("stored %q, want two whole texts", got)
	}
	if logged := env.Logged(); strings.Count(logged, "ERROR") > 1 {
		t.Errorf("an incomplete text is logged: %s", logged)
	}
	// After a restart, the ID is the same, so that the sink stores the text once.
	before := env.Sink.Messages()[0].ID
	h = vonage(t, env, "http://127.0.0.1:1").WebhookHandler()
	wantStatus(t, h, part("7", 1, 3, "Bonjour "), http.StatusServiceUnavailable)
	wantStatus(t, h, part("7", 2, 3, "de "), http.StatusServiceUnavailable)
	wantStatus(t, h, part("7", 3, 3, "Ségou."), http.StatusOK)
	if got := env.Sink.Messages(); got[len(got)-1].ID != before {
		t.Errorf("after a restart the text has the id %s, want %s", got[len(got)-1].ID, before)
	}
}

// A reused reference starts another text.
func TestInbound_ReferenceReused(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	h := vonage(t, env, "http://127.0.0.1:1").WebhookHandler()
	for _, id := range []string{"a", "b"} {
		wantStatus(t, h, partOfMessage(id, "7", 1, 2, "Bonjour "), http.StatusServiceUnavailable)
		wantStatus(t, h, partOfMessage(id, "7", 2, 2, id), http.StatusOK)
		wantStatus(t, h, partOfMessage(id, "7", 1, 2, "Bonjour "), http.StatusOK)
	}
	got := env.Sink.Messages()
	if len(got) != 2 || got[0].Text != "Bonjour a" || got[1].Text != "Bonjour b" || got[0].ID == got[1].ID {
		t.Errorf("stored %+v, want two texts", got)
	}
	wantStatus(t, h, partOfMessage("c", "7", 1, 2, "Un "), http.StatusServiceUnavailable)
	wantStatus(t, h, partOfMessage("d", "7", 1, 2, "Deux "), http.StatusServiceUnavailable) // waits for the first text
	wantStatus(t, h, partOfMessage("c", "7", 2, 2, "c"), http.StatusOK)
	wantStatus(t, h, partOfMessage("d", "7", 1, 2, "Deux "), http.StatusServiceUnavailable)
	wantStatus(t, h, partOfMessage("d", "7", 2, 2, "d"), http.StatusOK)
	if got := env.Sink.Messages(); len(got) != 4 || got[2].Text != "Un c" || got[3].Text != "Deux d" {
		t.Errorf("stored %+v, want two more texts", got)
	}
}

// After the timeout, the received parts are the message.
func TestInbound_PartsTimeout(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	h := vonage(t, env, "http://127.0.0.1:1").WebhookHandler()
	wantStatus(t, h, part("7", 1, 3, "Bonjour "), http.StatusServiceUnavailable)
	env.Clock.Advance(partsTimeout - time.Second)
	wantStatus(t, h, part("7", 3, 3, "Ségou."), http.StatusServiceUnavailable)
	env.Clock.Advance(time.Second)
	wantStatus(t, h, part("7", 1, 3, "Bonjour "), http.StatusOK)
	wantStatus(t, h, part("7", 3, 3, "Ségou."), http.StatusOK)
	if got := env.Sink.Messages(); len(got) != 1 || got[0].Text != "Bonjour Ségou." {
		t.Errorf("stored %+v, want the parts that have come", got)
	}
}

// Incomplete texts take limited memory, and are dropped for new ones after the timeout.
func TestInbound_PartsAreBounded(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	s := vonage(t, env, "http://127.0.0.1:1")
	h := s.WebhookHandler()
	for n := range 2 * maxTexts {
		wantStatus(t, h, part(fmt.Sprint(n), 1, 2, strings.Repeat("x", 1500)), http.StatusServiceUnavailable)
	}
	for n := range 20 {
		wantStatus(t, h, part(fmt.Sprint("large", n), 1, 2, strings.Repeat("x", 200<<10)), http.StatusServiceUnavailable)
	}
	if len(s.parts.texts) > maxTexts || s.parts.bytes > maxTextBytes {
		t.Errorf("%d texts of %d bytes are kept, want at most %d of %d", len(s.parts.texts), s.parts.bytes, maxTexts, maxTextBytes)
	}
	env.Clock.Advance(partsTimeout)
	wantStatus(t, h, part("new", 1, 2, "a"), http.StatusServiceUnavailable)
	wantStatus(t, h, part("new", 2, 2, "b"), http.StatusOK)
}

func TestSend_VonageMaxTTL(t *testing.T) {
	t.Parallel()
	address, last := startGateway(t, 200, `{"messages":[{"status":"0","message-id":"1"}]}`)
	env := gatewaytest.NewEnvironment()
	s := vonage(t, env, address)
	for life, want := range map[time.Duration]string{7 * 24 * time.Hour: "259200000", time.Hour: "3600000", time.Second: "20000"} {
		out := message()
		out.ExpiresAt = env.Clock.Now().Add(life)
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		form, err := url.ParseQuery(last().body)
		if err != nil || form.Get("ttl") != want {
			t.Errorf("a message that lives for %v has ttl %q, want %s", life, form.Get("ttl"), want)
		}
	}
}
