package httpmail

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
	"example.com/griot/internal/clock"
)

const (
	aissata    = "aissata@example.org"
	moussa     = "moussa@exemple.ml"
	ourAddress = "bonjour@example.com"
	ref        = "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ"
)

// provider describes a fake of a preset's provider. It accepts requests of exactly the documented shape.
type provider struct {
	preset   string
	settings map[string]any // besides preset, base_url, and ca_file
	secrets  []string
	login    func(r *http.Request) bool
	read     func(r *http.Request, body []byte) (gatewaytest.Received, error)
	accepted func(id string) peertest.Reply
	refused  func(mode, words string) peertest.Reply // the response contains words, like real ones
	key      func(body []byte) string                // idempotency key; nil for none
	event    func(kind, ref, id string, at time.Time) string
	call     func(body string, at time.Time) *http.Request
}

// fake is a running fake provider.
type fake struct {
	*peertest.Peer
	provider
	t        *testing.T
	now      clock.Now
	noEvents bool // no events

	mu    sync.Mutex
	keys  map[string]bool
	taken int
	last  []byte
}

func newFake(t *testing.T, p provider) *fake {
	f := &fake{t: t, provider: p, now: clock.System, keys: map[string]bool{}}
	f.Peer = peertest.New(t, f.answer)
	return f
}

func (f *fake) answer(mode string, r *http.Request, body []byte) peertest.Reply {
	if strings.HasPrefix(mode, "refuse") {
		return f.refused(mode, string(body))
	}
	if !f.login(r) {
		return f.refused("refuse login", r.Header.Get("Authorization"))
	}
	if r.Method == http.MethodGet {
		return peertest.Reply{Status: http.StatusOK, Body: "{}"}
	}
	got, err := f.read(r, body)
	if err != nil || r.Method != http.MethodPost {
		f.t.Errorf("%s %s %v: %v: %s", r.Method, r.URL, r.Header, err, body)
		return f.refused("refuse", string(body))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.key != nil {
		key := f.key(body)
		if f.keys[key] {
			return f.refused("duplicate", string(body))
		}
		f.keys[key] = true
	}
	f.taken++
	f.last = body
	id := fmt.Sprintf("id-%d", f.taken)
	reply := f.accepted(id)
	got.ProviderID = id
	reply.Taken = &got
	if !f.noEvents {
		event := f.event("delivered", got.Ref, id, f.now())
		reply.Callback = func() *http.Request { return f.call(event, f.now()) }
	}
	return reply
}

// raw returns the settings with changes.
func (p provider) raw(changes ...map[string]any) json.RawMessage {
	all := map[string]any{"preset": p.preset} // "": none
	for _, more := range append([]map[string]any{p.settings}, changes...) {
		for name, v := range more {
			all[name] = v
		}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return raw
}

func (f *fake) open(change map[string]any) (gateway.Sender, *gatewaytest.Environment) {
	f.t.Helper()
	env := gatewaytest.NewEnvironment()
	f.now = env.Clock.Now
	s := gatewaytest.Open[gateway.Sender](f.t, Open, env, f.raw(map[string]any{"base_url": f.URL, "ca_file": f.CAFile}, change))
	f.SetDriver(handler(s))
	return s, env
}

func handler(s gateway.Sender) http.Handler {
	return s.(gateway.WebhookReceiver).WebhookHandler()
}

func post(body string, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/receipts", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func message() *gateway.Outbound {
	return &gateway.Outbound{
		Ref: ref, Channel: gateway.Email, From: ourAddress, To: aissata, DisplayName: "École \"du\"\r\nBcc: x@example.net",
		Subject: "Été\r\nBcc: x@example.net", Text: "Bonjour baobab", HTML: "<p>Bonjour \"baobab\" {{to}}</p>",
	}
}

const (
	fullFrom    = `"École \"du\" Bcc: x@example.net" <bonjour@example.com>`
	nameOfFrom  = `École "du" Bcc: x@example.net`
	safeSubject = "Été Bcc: x@example.net"
)

// decodeStrict decodes a JSON document and refuses unknown fields.
func decodeStrict(body []byte, v any) error {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func conformance(t *testing.T, p provider) {
	t.Helper()
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		f := newFake(t, p)
		s, env := f.open(nil)
		return gatewaytest.Subject{Environment: env, Sender: s, Channel: gateway.Email, From: ourAddress, To: []string{aissata, moussa}, Secrets: p.secrets, Provider: f.Provider()}
	})
}

// describeError returns an error as text.
func describeError(err error) string {
	e := gateway.AsError(err)
	return strings.TrimSpace(string(e.Class) + " " + e.Code + " " + e.ProviderCode)
}

// describeReceipt returns a receipt as text.
func describeReceipt(r gateway.Receipt) string {
	words := []string{r.Ref, string(r.Status)}
	if r.Err != nil {
		words = append(words, string(r.Err.Class), r.Err.Code, r.Err.ProviderCode)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

func providers() []provider {
	return []provider{postmark(), sendgrid(newKey()), mailgun(), brevo()}
}

func gatewayDeps() gateway.Deps { return gatewaytest.NewEnvironment().Deps() }
