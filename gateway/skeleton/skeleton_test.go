package skeleton

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/providertest"
	"example.com/griot/internal/clock"
)

const testKey = "balafon-de-brousse"

// provider is a fake provider with scripted refusals.
type provider struct {
	*providertest.Server
	clock   *clock.Fake
	handler http.Handler

	mu    sync.Mutex
	taken []gatewaytest.Received
}

func (p *provider) answer(r *http.Request, body []byte, mode string) providertest.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	var m struct{ Reference, To, Text string }
	if err := json.Unmarshal(body, &m); err != nil {
		return providertest.Answer{Status: http.StatusInternalServerError}
	}
	words := m.To + m.Text // like real ones, refusals repeat the request
	switch {
	case mode == "login" || r.Header.Get("Authorization") != "Bearer "+testKey:
		return providertest.Answer{Status: http.StatusUnauthorized, Body: testKey}
	case mode == "refuse":
		return providertest.Answer{Status: http.StatusBadRequest, Body: `{"error":"` + words + `"}`}
	case mode == "later":
		return providertest.Answer{Status: http.StatusTooManyRequests, Body: words}
	case mode == "recipient":
		return providertest.Answer{Status: http.StatusBadRequest, Body: `{"error":"unknown_recipient","about":"` + words + `"}`}
	}
	id := fmt.Sprint("p-", len(p.taken))
	p.taken = append(p.taken, gatewaytest.Received{Ref: m.Reference, ProviderID: id, To: m.To, Text: m.Text})
	receipt, handler := fmt.Sprintf(`{"reference":%q,"delivered":%q}`, m.Reference, p.clock.Now().Format("2006-01-02T15:04:05Z07:00")), p.handler
	p.RetryUntil(func() bool { return gatewaytest.Call(handler, signedCall(receipt)) == http.StatusOK })
	return providertest.Answer{Status: http.StatusCreated, Body: `{"id":"` + id + `"}`}
}

func signedCall(body string) *http.Request {
	h := hmac.New(sha256.New, []byte(testKey))
	h.Write([]byte(body))
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Signature", hex.EncodeToString(h.Sum(nil)))
	return r
}

func (p *provider) received() []gatewaytest.Received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]gatewaytest.Received(nil), p.taken...)
}

// The driver passes the conformance suite.
func TestIsADriver(t *testing.T) {
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		env := gatewaytest.NewEnvironment()
		p := &provider{clock: env.Clock}
		p.Server = providertest.New(t, func(*http.Request) bool { return true }, p.answer)
		s, err := Open([]byte(`{"base_url":"`+p.URL+`","key":"`+testKey+`"}`), env.Deps())
		if err != nil {
			t.Fatal(err)
		}
		p.handler = s.(gateway.WebhookReceiver).WebhookHandler()
		return gatewaytest.Subject{
			Environment: env, Sender: s, Channel: gateway.SMS, From: "22376543210", To: []string{"22370000001", "22370000002"}, Secrets: []string{testKey},
			Provider: gatewaytest.Provider{
				Accept: p.Script(""), Refuse: p.Script("refuse"), RefuseForNow: p.Script("later"), RefuseRecipient: p.Script("recipient"), RefuseLogin: p.Script("login"),
				DropBefore: p.StopListening, DropAfter: p.Script("drop"), HangAfter: p.HangAfter,
				Received: p.received,
			},
		}
	})
}

func TestReceipt_SignatureIsCheckedFirst(t *testing.T) {
	t.Parallel()
	s, err := Open([]byte(`{"key":"`+testKey+`"}`), gatewaytest.NewEnvironment().Deps())
	if err != nil {
		t.Fatal(err)
	}
	handler := s.(gateway.WebhookReceiver).WebhookHandler()
	forged := signedCall("{")
	forged.Header.Set("X-Signature", strings.Repeat("0", 64))
	for want, r := range map[int]*http.Request{http.StatusUnauthorized: forged, http.StatusBadRequest: signedCall("{")} {
		if got := gatewaytest.Call(handler, r); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}
