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

	"griot/gateway"
	"griot/gateway/gatewaytest"
	"griot/gateway/internal/fartest"
	"griot/internal/clock"
)

const (
	testPassword = "balafon-de-brousse"
	testSigning  = "kora-signing-key"
	ours         = "22376543210"
	aissata      = "22370000001"
)

// far answers as the app does.
type far struct {
	*fartest.Far
	t     testing.TB
	clock *clock.Fake

	mu      sync.Mutex
	taken   []request
	handler http.Handler
}

func newFar(t testing.TB, c *clock.Fake) *far {
	t.Helper()
	f := &far{t: t, clock: c}
	f.Far = fartest.New(t, func(r *http.Request) bool { return true }, f.answer)
	return f
}

func (f *far) settings(more map[string]any) json.RawMessage {
	members := map[string]any{
		"url": f.URL, "username": "sms", "password": testPassword, "signing_key": testSigning, "sims": []any{map[string]any{"number": ours}},
	}
	return fartest.Settings(f.t, members, more)
}

func (f *far) open(around *gatewaytest.Surroundings, more map[string]any) *sender {
	f.t.Helper()
	opened := fartest.Open[*sender](f.t, Open, around, f.settings(more))
	f.mu.Lock()
	f.handler = opened.WebhookHandler()
	f.mu.Unlock()
	return opened
}

func (f *far) answer(r *http.Request, body []byte, mode string) fartest.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	said := func(status int, sentence string) fartest.Answer {
		b, err := json.Marshal(map[string]string{"message": sentence})
		if err != nil {
			f.t.Error(err)
		}
		return fartest.Answer{Status: status, Body: string(b)}
	}
	user, password, _ := r.BasicAuth()
	if user != "sms" || password != testPassword || mode == "login" {
		return said(http.StatusUnauthorized, "wrong password "+password)
	}
	if r.Method != http.MethodPost || r.URL.Path != "/message" || r.URL.Query().Get("skipPhoneValidation") != "true" {
		return fartest.Answer{Status: http.StatusNotFound}
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil || len(q.PhoneNumbers) != 1 {
		f.t.Errorf("%s: %v", body, err)
	}
	switch mode {
	case "refuse":
		return said(http.StatusBadRequest, "text "+q.TextMessage.Text+" is not allowed")
	case "later":
		return said(http.StatusServiceUnavailable, "queue limit exceeded for "+q.PhoneNumbers[0])
	case "recipient":
		return said(http.StatusBadRequest, "can't use phone in row 1: "+q.PhoneNumbers[0])
	}
	for _, other := range f.taken {
		if other.ID == q.ID {
			return said(http.StatusConflict, "message with the same ID already exists")
		}
	}
	f.taken = append(f.taken, q)
	f.report("sms:delivered", map[string]any{"messageId": q.ID, "phoneNumber": q.PhoneNumbers[0], "simNumber": nil, "deliveredAt": f.clock.Now()})
	return fartest.Answer{Status: http.StatusAccepted, Body: `{"id":"` + q.ID + `","state":"Pending","recipients":[]}`}
}

// report brings an event until it is taken.
func (f *far) report(event string, payload map[string]any) {
	body, err := json.Marshal(map[string]any{"event": event, "deviceId": "d", "id": "e", "webhookId": "w", "payload": payload})
	if err != nil {
		f.t.Error(err)
	}
	handler := f.handler
	f.Again(func() bool {
		return fartest.Deliver(handler, signed(testSigning, body, f.clock.Now())) == http.StatusOK
	})
}

// signed is a webhook as the phone brings it.
func signed(key string, body []byte, at time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/events", bytes.NewReader(body))
	timestamp := strconv.FormatInt(at.Unix(), 10)
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(string(body) + timestamp))
	r.Header.Set("X-Timestamp", timestamp)
	r.Header.Set("X-Signature", hex.EncodeToString(h.Sum(nil)))
	return r
}

func (f *far) received() []gatewaytest.Received {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []gatewaytest.Received
	for _, q := range f.taken {
		all = append(all, gatewaytest.Received{Ref: q.ID, ProviderID: q.ID, To: strings.TrimPrefix(q.PhoneNumbers[0], "+"), Text: q.TextMessage.Text})
	}
	return all
}

func opened(t *testing.T, more map[string]any) (*sender, *far, *gatewaytest.Surroundings) {
	t.Helper()
	around := gatewaytest.NewSurroundings()
	f := newFar(t, around.Clock)
	return f.open(around, more), f, around
}

func message() *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.SMS, From: ours, To: aissata, Text: "Ça va ?"}
}
