package remote

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"griot/gateway"
	"griot/gateway/gatewaytest"
	"griot/gateway/internal/providertest"
	"griot/internal/clock"
)

const (
	testSecret = "a-secret-of-at-least-32-characters"
	ourNumber  = "22376543210"
	aissata    = "22370000001"
)

func testKey() Key { return Key{ID: "k1", Secret: testSecret} }

// fakeGateway is a scripted gateway.
type fakeGateway struct {
	*providertest.Server
	t       testing.TB
	clock   *clock.Fake
	info    string
	noDedup bool // it doesn't deduplicate

	mu        sync.Mutex
	delivered []Message
	requests  []string // method and target
	handler   http.Handler
}

const plainInfo = `{"protocol":1,"deduplicates":true,"receipts":true,"groups":true,"media":"bytes"}`

func newFake(t testing.TB, c *clock.Fake) *fakeGateway {
	t.Helper()
	f := &fakeGateway{t: t, clock: c, info: plainInfo}
	f.Server = providertest.New(t, func(r *http.Request) bool { return r.URL.Path == "/send" }, f.answer)
	return f
}

func (f *fakeGateway) settings(more map[string]any) json.RawMessage {
	members := map[string]any{"url": f.URL, "channels": []string{"sms"}, "keys": []any{map[string]any{"id": "k1", "secret": testSecret}}}
	return gatewaytest.Settings(f.t, members, more)
}

func (f *fakeGateway) open(env *gatewaytest.Environment, more map[string]any) *sender {
	f.t.Helper()
	opened := gatewaytest.Open[*sender](f.t, Open, env, f.settings(more))
	f.mu.Lock()
	f.handler = opened.WebhookHandler()
	f.mu.Unlock()
	return opened
}

func refusal(status int, class, code, more string) providertest.Answer {
	return providertest.Answer{Status: status, Body: `{"error":{"class":"` + class + `","code":"` + code + `"` + more + `}}`}
}

// answer answers a request of the driver.
func (f *fakeGateway) answer(r *http.Request, body []byte, mode string) providertest.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
	if err := Check([]Key{testKey()}, r.Header, r.Method, r.URL.RequestURI(), body, f.clock.Now()); err != nil || mode == "login" {
		return refusal(http.StatusUnauthorized, "sender_down", "credentials_refused", `,"message":"`+testSecret+`"`)
	}
	reference, isQuery := strings.CutPrefix(r.URL.Path, "/messages/")
	switch {
	case r.URL.Path == "/info":
		return providertest.Answer{Status: http.StatusOK, Body: f.info}
	case r.URL.Path == "/groups":
		return providertest.Answer{Status: http.StatusOK, Body: `{"groups":[{"id":"1@g.us","name":"Parents","participants":3,"isAdmin":true},{"id":""}]}`}
	case isQuery && f.has(reference):
		return providertest.Answer{Status: http.StatusOK, Body: `{"reference":"` + reference + `","providerId":"far-` + reference + `"}`}
	case isQuery:
		return refusal(http.StatusNotFound, "permanent", "never_seen", "")
	case r.URL.Path == "/send":
		return f.send(body, mode)
	}
	return providertest.Answer{Status: http.StatusNotFound}
}

func (f *fakeGateway) has(reference string) bool {
	for _, m := range f.delivered {
		if m.Reference == reference {
			return true
		}
	}
	return false
}

func (f *fakeGateway) send(body []byte, mode string) providertest.Answer {
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		f.t.Error(err)
	}
	words := `,"providerCode":"` + m.To + `","message":"` + m.Text + `"` // like real ones, refusals repeat the request
	switch mode {
	case "refuse":
		return refusal(http.StatusUnprocessableEntity, "permanent", "refused", words)
	case "later":
		return refusal(http.StatusServiceUnavailable, "temporary", "busy", words)
	case "fast":
		return refusal(http.StatusTooManyRequests, "rate_limited", "slow_down", `,"retryAfter":30`+words)
	case "recipient":
		return refusal(http.StatusUnprocessableEntity, "unreachable", "recipient_unknown", words)
	}
	if f.noDedup || !f.has(m.Reference) {
		f.delivered = append(f.delivered, m)
		f.sendEvent(Event{Type: "receipt", Receipt: &ReceiptEvent{Reference: m.Reference, Status: gateway.ReceiptDelivered, At: f.clock.Now()}})
	}
	return providertest.Answer{Status: http.StatusOK, Body: `{"reference":"` + m.Reference + `","providerId":"far-` + m.Reference + `"}`}
}

// sendEvent repeats an event until it is accepted.
func (f *fakeGateway) sendEvent(e Event) {
	body, err := json.Marshal(e)
	if err != nil {
		f.t.Error(err)
	}
	handler := f.handler
	f.RetryUntil(func() bool {
		return handler == nil || gatewaytest.Call(handler, signedCall(testKey(), body, f.clock.Now())) == http.StatusOK
	})
}

// signedCall returns a signed event.
func signedCall(k Key, body []byte, at time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/events", bytes.NewReader(body))
	k.Sign(r.Header, http.MethodPost, "/events", body, at)
	return r
}

func (f *fakeGateway) received() []gatewaytest.Received {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []gatewaytest.Received
	for _, m := range f.delivered {
		all = append(all, gatewaytest.Received{Ref: m.Reference, ProviderID: "far-" + m.Reference, To: m.To, Text: m.Text, Subject: m.Subject, HTML: m.HTML})
	}
	return all
}

// requestCount returns how often a request was made.
func (f *fakeGateway) requestCount(request string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, r := range f.requests {
		if r == request {
			n++
		}
	}
	return n
}

func message() *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.SMS, From: ourNumber, To: aissata, Text: "Ça va ?"}
}
