package smsgate

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/providertest"
	"example.com/griot/internal/clock"
)

const (
	testPassword = "balafon-de-brousse"
	testSigning  = "kora-signing-key"
	ourNumber    = "22376543210"
	aissata      = "22370000001"
)

// fakeApp is a fake of the app's API.
type fakeApp struct {
	*providertest.Server
	t     testing.TB
	clock *clock.Fake

	mu      sync.Mutex
	taken   []request
	handler http.Handler
}

func newFake(t testing.TB, c *clock.Fake) *fakeApp {
	t.Helper()
	f := &fakeApp{t: t, clock: c}
	f.Server = providertest.New(t, func(r *http.Request) bool { return true }, f.answer)
	return f
}

func (f *fakeApp) settings(more map[string]any) json.RawMessage {
	members := map[string]any{
		"url": f.URL, "username": "sms", "password": testPassword, "signing_key": testSigning, "sims": []any{map[string]any{"number": ourNumber}},
	}
	return gatewaytest.Settings(f.t, members, more)
}

func (f *fakeApp) open(env *gatewaytest.Environment, more map[string]any) *sender {
	f.t.Helper()
	opened := gatewaytest.Open[*sender](f.t, Open, env, f.settings(more))
	f.mu.Lock()
	f.handler = opened.WebhookHandler()
	f.mu.Unlock()
	return opened
}

func (f *fakeApp) answer(r *http.Request, body []byte, mode string) providertest.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := func(status int, sentence string) providertest.Answer {
		b, err := json.Marshal(map[string]string{"message": sentence})
		if err != nil {
			f.t.Error(err)
		}
		return providertest.Answer{Status: status, Body: string(b)}
	}
	user, password, _ := r.BasicAuth()
	if user != "sms" || password != testPassword || mode == "login" {
		return answer(http.StatusUnauthorized, "wrong password "+password)
	}
	if r.Method != http.MethodPost || r.URL.Path != "/message" || r.URL.Query().Get("skipPhoneValidation") != "true" {
		return providertest.Answer{Status: http.StatusNotFound}
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil || len(q.PhoneNumbers) != 1 {
		f.t.Errorf("%s: %v", body, err)
	}
	switch mode {
	case "refuse":
		return answer(http.StatusBadRequest, "text "+q.TextMessage.Text+" is not allowed")
	case "later":
		return answer(http.StatusServiceUnavailable, "queue limit exceeded for "+q.PhoneNumbers[0])
	case "recipient":
		return answer(http.StatusBadRequest, "can't use phone in row 1: "+q.PhoneNumbers[0])
	}
	for _, other := range f.taken {
		if other.ID == q.ID {
			return answer(http.StatusConflict, "message with the same ID already exists")
		}
	}
	f.taken = append(f.taken, q)
	f.callWebhook("sms:delivered", map[string]any{"messageId": q.ID, "phoneNumber": q.PhoneNumbers[0], "simNumber": nil, "deliveredAt": f.clock.Now()})
	return providertest.Answer{Status: http.StatusAccepted, Body: `{"id":"` + q.ID + `","state":"Pending","recipients":[]}`}
}

// callWebhook repeats an event until it is accepted.
func (f *fakeApp) callWebhook(event string, payload map[string]any) {
	body, err := json.Marshal(map[string]any{"event": event, "deviceId": "d", "id": "e", "webhookId": "w", "payload": payload})
	if err != nil {
		f.t.Error(err)
	}
	handler := f.handler
	f.RetryUntil(func() bool {
		return gatewaytest.Call(handler, signedCall(testSigning, body, f.clock.Now())) == http.StatusOK
	})
}

// signedCall returns a signed webhook call.
func signedCall(key string, body []byte, at time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/events", bytes.NewReader(body))
	timestamp := strconv.FormatInt(at.Unix(), 10)
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(string(body) + timestamp))
	r.Header.Set("X-Timestamp", timestamp)
	r.Header.Set("X-Signature", hex.EncodeToString(h.Sum(nil)))
	return r
}

func (f *fakeApp) received() []gatewaytest.Received {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []gatewaytest.Received
	for _, q := range f.taken {
		all = append(all, gatewaytest.Received{Ref: q.ID, ProviderID: q.ID, To: strings.TrimPrefix(q.PhoneNumbers[0], "+"), Text: q.TextMessage.Text})
	}
	return all
}

func opened(t *testing.T, more map[string]any) (*sender, *fakeApp, *gatewaytest.Environment) {
	t.Helper()
	env := gatewaytest.NewEnvironment()
	f := newFake(t, env.Clock)
	return f.open(env, more), f, env
}

func message() *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.SMS, From: ourNumber, To: aissata, Text: "Ça va ?"}
}
