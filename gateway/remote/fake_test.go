package remote

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/providertest"
	"example.com/griot/internal/clock"
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
	readMarks []Read
	requests  []string // method and target
	features  []string // of each request
	handler   http.Handler
	pairing   PairProgress
	answers   func() providertest.Answer // for /pair, instead of a pairing; nil: none
}

const plainInfo = `{"protocol":1,"deduplicates":true,"receipts":true,"groups":true,"replies":true,"read":true,"pairing":true,"media":"bytes","connections":[{"channel":"sms","from":"22376543210","state":"connected"}]}`

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

// answer responds to a request of the driver.
func (f *fakeGateway) answer(r *http.Request, body []byte, mode string) providertest.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
	f.features = append(f.features, r.Header.Get(HeaderFeatures))
	if err := Check([]Key{testKey()}, r.Header, r.Method, r.URL.RequestURI(), body, f.clock.Now()); err != nil || mode == "login" {
		return refusal(http.StatusUnauthorized, "sender_down", "credentials_refused", `,"message":"`+testSecret+`"`)
	}
	reference, isQuery := strings.CutPrefix(r.URL.Path, "/messages/")
	switch {
	case r.URL.Path == "/info":
		return providertest.Answer{Status: http.StatusOK, Body: f.info}
	case r.URL.Path == "/read":
		var read Read
		if err := json.Unmarshal(body, &read); err != nil {
			f.t.Error(err)
		}
		f.readMarks = append(f.readMarks, read)
		return providertest.Answer{Status: http.StatusOK, Body: `{}`}
	case r.URL.Path == "/groups":
		return providertest.Answer{Status: http.StatusOK, Body: `{"groups":[{"id":"1@g.us","name":"Parents","participants":3,"isAdmin":true},{"id":""}]}`}
	case r.URL.Path == "/pair":
		return f.pair(r, body)
	case isQuery && f.has(reference):
		return providertest.Answer{Status: http.StatusOK, Body: `{"reference":"` + reference + `","providerId":"far-` + reference + `"}`}
	case isQuery:
		return refusal(http.StatusNotFound, "permanent", "never_seen", "")
	case r.URL.Path == "/send":
		return f.send(body, mode)
	}
	return providertest.Answer{Status: http.StatusNotFound}
}

// pair simulates one pairing. Its code is available from the second request on.
func (f *fakeGateway) pair(r *http.Request, body []byte) providertest.Answer {
	if f.answers != nil {
		return f.answers()
	}
	var request PairRequest
	switch q := r.URL.Query(); r.Method {
	case http.MethodPost:
		if err := json.Unmarshal(body, &request); err != nil {
			f.t.Error(err)
		}
		if !f.pairing.State.UnderWay() {
			f.pairing = PairProgress{State: gateway.PairingStarting, Code: string(request.Method)}
		}
	case http.MethodDelete:
		f.pairing = PairProgress{State: gateway.PairingFailed, Reason: gateway.PairingCancelled}
		fallthrough
	default:
		request.Channel, request.From = gateway.Channel(q.Get("channel")), q.Get("from")
		if f.pairing.State == gateway.PairingStarting {
			shown := PairProgress{State: gateway.PairingWaiting, QR: "2@abc,def=", ExpiresAt: f.clock.Now().Add(20 * time.Second)}
			if f.pairing.Code == string(gateway.PairByCode) {
				shown.QR, shown.Code = "", "ABCD-EFGH"
			}
			f.pairing = shown
		}
	}
	if request.Channel != gateway.SMS || request.From != ourNumber {
		f.t.Errorf("the pairing is of %s %s, want ours", request.Channel, request.From)
	}
	answer, err := json.Marshal(f.pairing)
	if err != nil {
		f.t.Error(err)
	}
	return providertest.Answer{Status: http.StatusOK, Body: string(answer)}
}

// linkPhone scans or types the displayed code.
func (f *fakeGateway) linkPhone(shown string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if shown != "2@abc,def=" && shown != "ABCD-EFGH" {
		f.t.Error("what was shown is not what the gateway has answered")
	}
	f.pairing = PairProgress{State: gateway.PairingDone}
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
		f.sendEvent(Event{Type: "receipt", Receipt: &ReceiptEvent{
			Reference: httpcall.Word(m.Reference), Status: httpcall.Word(gateway.ReceiptDelivered), At: httpcall.Moment(f.clock.Now().Format(time.RFC3339Nano)),
		}})
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
		answered := ""
		if m.ReplyTo != nil {
			answered = cmp.Or(m.ReplyTo.Reference, m.ReplyTo.ID)
		}
		all = append(all, gatewaytest.Received{ReplyTo: answered, Ref: m.Reference, ProviderID: "far-" + m.Reference, To: m.To, Text: m.Text, Subject: m.Subject, HTML: m.HTML})
	}
	return all
}

// requestCount returns the number of times that a request was made.
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

// read lists the IDs of the messages for which it got a read receipt.
func (f *fakeGateway) read() (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.readMarks {
		ids = append(ids, r.IDs...)
	}
	return ids
}
