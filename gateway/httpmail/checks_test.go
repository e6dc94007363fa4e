package httpmail

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/gateway/internal/peertest"
)

// wantRequest checks the request of a message with characters to escape, and of one with list headers.
func wantRequest(t *testing.T, p provider, want, listed string) {
	t.Helper()
	f := newFake(t, p)
	f.noEvents = true
	s, _ := f.open(nil)
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	if got := string(f.last); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s, _ = f.open(map[string]any{"list_unsubscribe": "https://example.com/u/{ref}", "list_unsubscribe_post": true})
	for i, out := range []*gateway.Outbound{message(), message()} {
		out.Ref, out.Sensitive = ref, i == 1 // sensitive messages have no list headers
		clear(f.keys)
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(f.last), listed) == out.Sensitive {
			t.Errorf("sensitive %v: %s", out.Sensitive, f.last)
		}
	}
	out := message()
	out.HTML, out.DisplayName = "", ""
	clear(f.keys)
	if _, err := s.Send(t.Context(), out); err != nil {
		t.Error(err)
	}
}

// wantAnswers checks the error of each status and body, and that errors repeat no message, recipient, or credential.
func wantAnswers(t *testing.T, p provider, answers map[string]string) {
	t.Helper()
	for answer, want := range answers {
		status, body, _ := strings.Cut(answer, " ")
		code, err := strconv.Atoi(status)
		if err != nil {
			t.Fatal(err)
		}
		f := newFake(t, p)
		f.Peer = peertest.New(t, func(string, *http.Request, []byte) peertest.Reply {
			return peertest.Reply{Status: code, Body: body, Header: map[string]string{"Retry-After": "7", "X-Message-Id": "x-1"}}
		})
		s, env := f.open(nil)
		ack, err := s.Send(t.Context(), message())
		if id, ok := strings.CutPrefix(want, "ack"); ok {
			if err != nil || ack.ProviderID != strings.TrimSpace(id) {
				t.Errorf("%s: %+v, %v", answer, ack, err)
			}
			continue
		}
		if err == nil || describeError(err) != want {
			t.Errorf("%s: %v, want %s", answer, err, want)
			continue
		}
		if e := gateway.AsError(err); (e.Class == gateway.RateLimited || e.Class == gateway.Temporary) != (e.RetryAfter == 7*time.Second) {
			t.Errorf("%s: RetryAfter %v", answer, e.RetryAfter)
		}
		for _, word := range append([]string{aissata, "baobab"}, p.secrets...) {
			if strings.Contains(err.Error()+env.Logged(), word) {
				t.Errorf("%s: the error repeats %s: %v", answer, word, err)
			}
		}
	}
}

// wantEvents checks the receipt of each event; "" for none.
func wantEvents(t *testing.T, p provider, events map[string]string) {
	t.Helper()
	for body, want := range events {
		s, env := newFake(t, p).open(nil)
		if code := gatewaytest.Call(handler(s), p.call(body, env.Clock.Now())); code != http.StatusOK {
			t.Errorf("%s: %d", body, code)
		}
		got := env.Sink.Receipts()
		switch {
		case want == "" && len(got) != 0, want != "" && len(got) != 1:
			t.Errorf("%s: %+v, want %q", body, got, want)
		case want != "" && (describeReceipt(got[0]) != want || got[0].At.IsZero()):
			t.Errorf("%s: %q, want %q", body, describeReceipt(got[0]), want)
		case want != "" && got[0].Ref == "" && got[0].ProviderID == "":
			t.Errorf("%s: %+v", body, got[0])
		}
		if strings.Contains(env.Logged(), "aissata") {
			t.Errorf("the log repeats the address: %s", env.Logged())
		}
	}
}

// wantRefused checks that calls without a valid signature are refused, and all calls without auth in the settings.
func wantRefused(t *testing.T, p provider, calls map[string]*http.Request) {
	t.Helper()
	f := newFake(t, p)
	s, env := f.open(nil)
	for name, r := range calls {
		if code := gatewaytest.Call(handler(s), r); code != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, code)
		}
	}
	good := p.event("delivered", ref, "id", env.Clock.Now())
	for name, body := range map[string]string{"cut": "{", "empty": "", "text": "x"} {
		if code := gatewaytest.Call(handler(s), p.call(body, env.Clock.Now())); code == http.StatusOK && body != "" || code >= 500 {
			t.Errorf("%s: %d", name, code)
		}
	}
	if len(env.Sink.Receipts()) != 0 {
		t.Errorf("stored: %+v", env.Sink.Receipts())
	}
	if code := gatewaytest.Call(handler(s), p.call(strings.Repeat(" ", maxCall+1), env.Clock.Now())); code != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", code)
	}
	if code := gatewaytest.Call(handler(s), p.call(good, env.Clock.Now())); code != http.StatusOK || len(env.Sink.Receipts()) != 1 {
		t.Errorf("a valid call: %d", code)
	}
	for _, word := range p.secrets {
		if strings.Contains(env.Logged(), word) {
			t.Errorf("the log shows %s", word)
		}
	}
	closed, _ := f.open(map[string]any{"receipts": nil})
	if code := gatewaytest.Call(handler(closed), p.call(good, env.Clock.Now())); code != http.StatusNotFound || closed.Info().Receipts {
		t.Errorf("without receipts: %d", code)
	}
}

func TestWebhook_StoreFails(t *testing.T) {
	t.Parallel()
	for _, p := range providers() {
		again := http.StatusServiceUnavailable
		if p.preset == "brevo" { // doesn't repeat calls after 5xx
			again = http.StatusTooManyRequests
		}
		s, env := newFake(t, p).open(nil)
		env.Sink.Refuse(1)
		for i, want := range []int{again, http.StatusOK} {
			if code := gatewaytest.Call(handler(s), p.call(p.event("delivered", ref, "id", env.Clock.Now()), env.Clock.Now())); code != want {
				t.Errorf("%s, %d: %d, want %d", p.preset, i, code, want)
			}
		}
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	for _, p := range providers() {
		f := newFake(t, p)
		s, _ := f.open(nil)
		probe := s.(gateway.Prober).Probe
		if err := probe(t.Context()); err != nil {
			t.Errorf("%s: %v", p.preset, err)
		}
		f.SetMode("refuse login")
		if err := probe(t.Context()); err == nil || gateway.AsError(err).Class != gateway.SenderDown {
			t.Errorf("%s: %v", p.preset, err)
		}
		f.SetMode(peertest.Garbage)
		if err := probe(t.Context()); err != nil { // only sending is refused
			t.Errorf("%s: %v", p.preset, err)
		}
	}
	bare, err := Open([]byte(`{"url":"https://mail.test","json":{"f":"{{from}}","t":"{{to}}","x":"{{text}}","h":"{{html}}"}}`), gatewayDeps())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := bare.(gateway.Prober); ok {
		t.Error("a gateway without a probe has one")
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	for _, p := range providers() {
		s, env := newFake(t, p).open(nil)
		flood := &peertest.WebhookFlood{Handler: handler(s), MaxBody: maxCall, MaxHeld: httpgate.MaxBodies, Sink: env.Sink, Stored: peertest.CountReceipts, Call: func(n int) *http.Request {
			return p.call(p.event("delivered", fmt.Sprintf("msg_%d", n), "x-1", env.Clock.Now()), env.Clock.Now())
		}}
		flood.Run(t)
	}
}
