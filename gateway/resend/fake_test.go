package resend

import (
	"encoding/base64"
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
	apiKey     = "re_balafonKey"
	secret     = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	aissata    = "aissata@example.org"
	moussa     = "moussa@exemple.ml"
	ourAddress = "bonjour@example.com"
)

// fake is a fake Resend API. It accepts bodies of exactly the documented shape, and each idempotency key once.
type fake struct {
	*peertest.Peer
	t        *testing.T
	now      clock.Now
	noEvents bool // no events

	mu    sync.Mutex
	keys  map[string][2]string // idempotency key -> body, id
	last  map[string]any
	calls int
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, now: clock.System, keys: map[string][2]string{}}
	f.Peer = peertest.New(t, f.answer)
	return f
}

func apiError(status int, name, words string) peertest.Reply {
	body, err := json.Marshal(map[string]any{"statusCode": status, "name": name, "message": words})
	if err != nil {
		panic(err)
	}
	return peertest.Reply{Status: status, Body: string(body)}
}

func (f *fake) answer(mode string, r *http.Request, body []byte) peertest.Reply {
	words := string(body) // like the real API, it repeats the request
	switch mode {
	case "refuse":
		return apiError(422, "validation_error", "Invalid `subject` field. "+words)
	case "refuse for now":
		return apiError(429, "rate_limit_exceeded", "Too many requests. "+words)
	case "refuse recipient":
		return apiError(422, "validation_error", "Invalid `to` field. "+words)
	case "refuse login":
		return apiError(403, "invalid_api_key", "API key is invalid "+r.Header.Get("Authorization"))
	}
	var status int
	var name string
	if n, _ := fmt.Sscanf(mode, "error %d %s", &status, &name); n == 2 {
		return apiError(status, name, words)
	}
	if _, err := fmt.Sscanf(mode, "status %d", &status); err == nil {
		return peertest.Reply{Status: status, Body: "<html>" + words, Header: map[string]string{"Retry-After": "9"}}
	}
	if r.Header.Get("Authorization") != "Bearer "+apiKey {
		return apiError(403, "invalid_api_key", "API key is invalid "+r.Header.Get("Authorization"))
	}
	key := r.Header.Get("Idempotency-Key")
	var m map[string]any
	if json.Unmarshal(body, &m) != nil || r.Method+r.URL.String() != "POST/emails" || r.Header.Get("Content-Type") != "application/json" || key == "" || r.Header.Get("User-Agent") == "" {
		f.t.Errorf("%s %s %v: %s", r.Method, r.URL, r.Header, body)
		return apiError(422, "missing_required_field", "")
	}
	for name := range m {
		if !slices.Contains([]string{"from", "to", "subject", "text", "html", "tags", "headers"}, name) {
			f.t.Errorf("unexpected %s", name)
		}
	}
	return f.accept(mode, key, string(body), m)
}

func (f *fake) accept(mode, key, body string, m map[string]any) peertest.Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if known, ok := f.keys[key]; ok {
		if known[0] != body {
			return apiError(409, "invalid_idempotent_request", body)
		}
		return peertest.Reply{Status: 200, Body: `{"id":"` + known[1] + `"}`}
	}
	id := fmt.Sprintf("49a3999c-0ce1-4ea6-ab68-%012d", len(f.keys))
	f.keys[key], f.last = [2]string{body, id}, m
	text := func(name string) string { s, _ := m[name].(string); return s }
	to := m["to"].([]any)[0].(string)
	reply := peertest.Reply{
		Status: 200, Body: `{"id":"` + id + `"}`,
		Taken: &gatewaytest.Received{Ref: key, ProviderID: id, To: to, Text: text("text"), Subject: text("subject"), HTML: text("html")},
	}
	if mode == "garbled" {
		reply.Body = `{"id":`
	}
	if !f.noEvents {
		event := eventJSON("email.delivered", key, `"email_id":"`+id+`"`)
		reply.Callback = func() *http.Request { return signedCall(event, f.now()) }
	}
	return reply
}

func eventJSON(kind, ref, more string) string {
	return `{"type":"` + kind + `","created_at":"2026-11-04T10:00:00.126Z","data":{"created_at":"2026-11-04 09:59:59.894719+00","from":"Griot <bonjour@example.com>","to":["aissata@example.org"],
 "subject":"S","tags":{"griot_message":"` + ref + `"},` + more + `}}`
}

// signedCall returns a signed webhook call.
func signedCall(body string, at time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	stamp := fmt.Sprint(at.Unix())
	r.Header.Set("svix-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	r.Header.Set("svix-timestamp", stamp)
	r.Header.Set("svix-signature", "v1,"+base64.StdEncoding.EncodeToString(sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", stamp, []byte(body))))
	return r
}

func (f *fake) settings(change map[string]any) json.RawMessage {
	all := map[string]any{"api_key": apiKey, "webhook_secret": secret, "base_url": f.URL, "ca_file": f.CAFile}
	return gatewaytest.Settings(f.t, all, change)
}

func (f *fake) open(change map[string]any) (*sender, *gatewaytest.Environment) {
	f.t.Helper()
	env := gatewaytest.NewEnvironment()
	f.now = env.Clock.Now
	s := gatewaytest.Open[*sender](f.t, Open, env, f.settings(change))
	f.SetDriver(s.WebhookHandler())
	return s, env
}

func newMessage() *gateway.Outbound {
	return &gateway.Outbound{
		Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.Email, From: ourAddress, To: aissata, DisplayName: `École "du" Fleuve`,
		Subject: "Été\nà Ségou", Text: "Bonjour baobab", HTML: "<p>Bonjour baobab</p>",
	}
}

func wantFailure(t *testing.T, err error, want string) {
	t.Helper()
	gatewaytest.WantFailure(t, err, want, "baobab", "aissata", "balafon")
}

func TestConformance(t *testing.T) {
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		f := newFake(t)
		env := gatewaytest.NewEnvironment()
		f.now = env.Clock.Now
		s, err := Open(f.settings(nil), env.Deps())
		if err != nil {
			t.Fatal(err)
		}
		f.SetDriver(s.(gateway.WebhookReceiver).WebhookHandler())
		return gatewaytest.Subject{
			Environment: env, Sender: s, Channel: gateway.Email, From: ourAddress, To: []string{aissata, moussa}, Secrets: []string{apiKey, secret}, Provider: f.Provider(),
		}
	})
}

func TestDocs(t *testing.T) {
	t.Parallel()
	peertest.CheckDocs[settings](t, "../../docs/gateways/resend.md", 35)
}
