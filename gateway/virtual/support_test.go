package virtual_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/id"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
)

const (
	origin = "http://127.0.0.1:8080"

	ourNumber = "22320000001" // a number that phones may write to
	aissata   = "22370000001"
	moussa    = "22370000002"
	mailbox   = "aissata@example.org"
	family    = "223700000001-1600000000@g.us"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		child(path)
	}
	os.Exit(m.Run())
}

// onBothStores runs a test on both stores.
func onBothStores(t *testing.T, test func(t *testing.T, g *fixture)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, open(t, ""))
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		test(t, open(t, filepath.Join(t.TempDir(), "virtual.db")))
	})
}

// withFile returns a gateway with a file.
func withFile(t *testing.T) *fixture {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "virtual.db"))
}

// fixture is a gateway with its options.
type fixture struct {
	*virtual.Gateway
	t       testing.TB
	sink    *gatewaytest.Sink
	clock   *clock.Fake
	log     *logtest.Recorder
	options virtual.Options
	mux     *http.ServeMux
	stop    func() // ends the last run
}

func testBox(t testing.TB) *seal.Box {
	t.Helper()
	key, err := seal.NewKey(bytes.Repeat([]byte{7}, seal.MasterKeySize))
	if err != nil {
		t.Fatal(err)
	}
	return key.Box("virtual-phones")
}

func open(t testing.TB, path string) *fixture {
	t.Helper()
	g := &fixture{t: t, sink: &gatewaytest.Sink{}, clock: clock.NewFake(time.Date(2026, 5, 1, 12, 0, 0, 7e6, time.UTC)), log: &logtest.Recorder{}}
	g.options = virtual.Options{
		Path: path, Sink: g.sink, Now: g.clock.Now, Box: testBox(t), BaseURL: origin,
		Log: g.log.Logger(),
		Contacts: func(context.Context) ([]virtual.Contact, error) {
			return []virtual.Contact{
				{Channel: gateway.WhatsApp, Address: "+" + ourNumber, Name: "Demo"},
				{Channel: gateway.SMS, Address: "22320000002", Name: "Demo SMS"},
				{Channel: gateway.SMS, Address: "GRIOT", Name: "No number"},
			}, nil
		},
		Groups: []virtual.Group{{ID: family, Name: "Family", Members: []string{aissata, moussa}, Senders: []string{ourNumber, "22320000003"}, Admins: []string{ourNumber}}},
		Phones: []virtual.Contact{{Channel: gateway.WhatsApp, Address: aissata, Name: "Aïssata"}},
	}
	g.open()
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func (g *fixture) open() {
	g.t.Helper()
	opened, err := virtual.New(context.Background(), g.options)
	if err != nil {
		g.t.Fatal(err)
	}
	g.Gateway = opened
	g.mux = http.NewServeMux()
	g.Mount(g.mux)
}

// reopen closes and opens the gateway, like a restart.
func (g *fixture) reopen() {
	g.t.Helper()
	if err := g.Close(); err != nil {
		g.t.Fatal(err)
	}
	g.open()
}

// run runs the gateway until stop or the end of the test.
func (g *fixture) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	run := g.Run
	go func() { done <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := waittest.Receive(g.t, done); err != nil {
			g.t.Error(err)
		}
	})
	g.t.Cleanup(stop)
	g.stop = stop
	return stop
}

// wait waits until done reports true of the sink's records.
func (g *fixture) wait(what string, done func() bool) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	if err := g.sink.Wait(ctx, done); err != nil {
		receipts, messages := g.sink.Receipts(), g.sink.Messages()
		g.t.Fatalf("%s: %v; %d receipts, the first %+v; inbound %+v", what, err, len(receipts), receipts[:min(len(receipts), 10)], messages[:min(len(messages), 10)])
	}
}

// waitForAttempt waits until a send has started.
func (g *fixture) waitForAttempt(ref string) {
	g.t.Helper()
	waittest.Until(g.t, func() error {
		if len(g.outcomes(ref)) == 0 {
			return errors.New("the attempt has not begun")
		}
		return nil
	})
}

func outbound(to string) *gateway.Outbound {
	out := &gateway.Outbound{Ref: id.Message + id.Random(), Channel: gateway.WhatsApp, From: ourNumber, To: to, Text: "Bonjour"}
	if strings.Contains(to, "@") {
		out.Channel, out.From, out.Subject, out.HTML = gateway.Email, "griot@example.org", "Objet", "<p>Bonjour</p>"
	}
	return out
}

// send sends a message that must be accepted.
func (g *fixture) send(out *gateway.Outbound) gateway.Ack {
	g.t.Helper()
	ack, err := g.Send(context.Background(), out)
	if err != nil {
		g.t.Fatal(err)
	}
	return ack
}

// refused sends a message that must be refused.
func (g *fixture) refused(out *gateway.Outbound, class gateway.Class, code string) {
	g.t.Helper()
	ack, err := g.Send(context.Background(), out)
	if e := gateway.AsError(err); err == nil || e.Class != class || e.Code != code || ack != (gateway.Ack{}) {
		g.t.Fatalf("Send = %+v, %v; want %s (%s)", ack, err, code, class)
	}
}

type object = map[string]any

// call makes an HTTP call.
func (g *fixture) call(method, path, body string) (int, object) {
	g.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	return g.serve(r)
}

func (g *fixture) serve(r *http.Request) (int, object) {
	g.t.Helper()
	w := httptest.NewRecorder()
	g.mux.ServeHTTP(w, r)
	var answer object
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Header().Get("Content-Type") != "application/json" {
		g.t.Fatalf("%s %s: %d, %s: not JSON: %v", r.Method, r.URL, w.Code, w.Body, err)
	}
	return w.Code, answer
}

// ok makes a call that must succeed.
func (g *fixture) ok(method, path, body string) object {
	g.t.Helper()
	status, answer := g.call(method, path, body)
	if status != http.StatusOK && (method != http.MethodPost || status != http.StatusCreated) {
		g.t.Fatalf("%s %s %s: %d, %v", method, path, body, status, answer)
	}
	return answer
}

func (g *fixture) list(path, member string) []object {
	g.t.Helper()
	values, ok := g.ok(http.MethodGet, path, "")[member].([]any)
	if !ok {
		g.t.Fatalf("%s has no list %s", path, member)
	}
	list := make([]object, len(values))
	for i, v := range values {
		list[i], ok = v.(object)
		if !ok {
			g.t.Fatalf("%s: %v is no object", path, v)
		}
	}
	return list
}

func (g *fixture) messages(address string) []object {
	g.t.Helper()
	return g.list("/dev/phones/"+url.PathEscape(address)+"/messages", "messages")
}

// texts returns the texts on a phone.
func (g *fixture) texts(address string) []string {
	g.t.Helper()
	return members(g.messages(address), "text")
}

func (g *fixture) outcomes(ref string) []string {
	g.t.Helper()
	return members(g.list("/dev/attempts/"+ref, "attempts"), "outcome")
}

func members(list []object, name string) []string {
	values := make([]string, len(list))
	for i, o := range list {
		values[i], _ = o[name].(string)
	}
	return values
}
