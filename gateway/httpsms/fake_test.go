package httpsms

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/providertest"
)

const (
	testSecret = "balafon-de-brousse"
	testToken  = "kora-token-0123456789"
	ourNumber  = "22376543210"
	aissata    = "22370000001"
)

func mustJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func open(t testing.TB, env *gatewaytest.Environment, settings string) *sender {
	t.Helper()
	return gatewaytest.Open[*sender](t, Open, env, []byte(settings))
}

// request is a request that a gateway has received.
type request struct {
	request *http.Request
	body    string
}

// startGateway starts a gateway that gives the same response to every request. last returns the last request.
func startGateway(t testing.TB, status int, body string) (address string, last func() request) {
	t.Helper()
	var mu sync.Mutex
	var h request
	f := providertest.New(t, func(*http.Request) bool { return true }, func(r *http.Request, b []byte, _ string) providertest.Answer {
		mu.Lock()
		defer mu.Unlock()
		h = request{r, string(b)}
		return providertest.Answer{Status: status, Body: body, Header: map[string]string{"Retry-After": "7", "X-Id": "h-1"}}
	})
	return f.URL, func() request {
		mu.Lock()
		defer mu.Unlock()
		return h
	}
}

// fakeGateway is a gateway with form requests, JSON responses, form receipts, and JSON messages.
type fakeGateway struct {
	*providertest.Server
	t       testing.TB
	mu      sync.Mutex
	taken   []gatewaytest.Received
	handler http.Handler
}

func newFakeGateway(t testing.TB) *fakeGateway {
	t.Helper()
	h := &fakeGateway{t: t}
	h.Server = providertest.New(t, func(*http.Request) bool { return true }, h.answer)
	return h
}

func (h *fakeGateway) settings() string {
	return `{
		"url":"` + h.URL + `/send","values":{"key":{"value":"` + testSecret + `"}},
		"form":{"key":"{{key}}","from":"{{from}}","to":"{{to}}","text":"{{text}}","reference":"{{ref}}","seconds":"{{ttl}}"},
		"success":{"json":"ok","equals":["true"]},"id":{"json":"id"},"error_code":{"json":"error"},
		"errors":[{"json":"error","equals":["busy"],"class":"temporary","code":"busy"},{"json":"error","equals":["number"],"class":"unreachable","code":"recipient_refused"}],
		"receipts":{"auth":{"kind":"token","token":"` + testToken + `","query":"token"},"fields":{"ref":"reference","status":"state"},"statuses":{"done":"delivered"}},
		"inbound":{"auth":{"kind":"hmac","secret":"` + testSecret + `","header":"X-Sign"},"fields":{"id":"id","from":"from","to":"to","text":"text"}}}`
}

func (h *fakeGateway) answer(r *http.Request, body []byte, mode string) providertest.Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("key") != testSecret || mode == "login" {
		return providertest.Answer{Status: http.StatusUnauthorized, Body: `{"error":"key ` + form.Get("key") + `"}`}
	}
	words := `,"about":"` + form.Get("to") + ": " + form.Get("text") + `"}`
	switch mode {
	case "refuse":
		return providertest.Answer{Status: http.StatusBadRequest, Body: `{"error":"` + form.Get("to") + `"` + words}
	case "later":
		return providertest.Answer{Status: http.StatusServiceUnavailable, Body: `{"error":"busy"` + words}
	case "recipient":
		return providertest.Answer{Status: http.StatusOK, Body: `{"error":"number"` + words}
	}
	ref := form.Get("reference")
	h.taken = append(h.taken, gatewaytest.Received{Ref: ref, ProviderID: "h-" + ref, To: form.Get("to"), Text: form.Get("text")})
	h.callDriver("/receipts?token="+testToken, "application/x-www-form-urlencoded", url.Values{"reference": {ref}, "state": {"Done"}}.Encode(), "")
	return providertest.Answer{Status: http.StatusOK, Body: `{"ok":true,"id":"h-` + ref + `"}`}
}

// callDriver repeats a call until it is accepted.
func (h *fakeGateway) callDriver(target, contentType, body, signature string) {
	handler := h.handler
	h.RetryUntil(func() bool {
		return gatewaytest.Call(handler, post(target, contentType, body, signature)) == http.StatusOK
	})
}

func post(target, contentType, body, signature string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	if signature != "" {
		r.Header.Set("X-Sign", signature)
	}
	return r
}

func (h *fakeGateway) received() []gatewaytest.Received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]gatewaytest.Received(nil), h.taken...)
}

func message() *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.SMS, From: ourNumber, To: aissata, Text: "Ça va ?"}
}
