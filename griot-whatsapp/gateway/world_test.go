package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/pairing"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
	"example.com/griot/griot-whatsapp/storetest"
)

const (
	shop = "22376543210"
	awa  = "22370000001"

	patience = time.Minute
)

var key = protocol.Key{ID: "k1", Secret: "a-secret-of-at-least-32-characters"}

// world is a gateway between a fake WhatsApp and a fake Griot.
type world struct {
	t        *testing.T
	whatsApp *fakewhatsapp.Server
	store    *store.Store
	path     string // of the store's file
	config   gateway.Config
	gateway  *gateway.Gateway
	stop     func()
	events   chan protocol.Event
	away     atomic.Bool         // Griot responds with 503
	old      atomic.Bool         // Griot has no optional features
	rejected chan protocol.Event // by an old Griot
	response atomic.Pointer[func(protocol.Event) int]
}

func newWorld(t *testing.T, change func(*gateway.Config), limits store.Limits) *world {
	t.Helper()
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.AddUser(shop, "900001")
	s.AddUser(awa, "100001")
	path := filepath.Join(t.TempDir(), "store.db")
	w := &world{t: t, whatsApp: s, events: make(chan protocol.Event, 1000), rejected: make(chan protocol.Event, 1000), path: path, store: storetest.Open(t, path, limits)}
	griot := httptest.NewServer(http.HandlerFunc(w.griot))
	t.Cleanup(griot.Close)
	w.config = gateway.Config{
		Store: w.store, Keys: []protocol.Key{key}, Griot: griot.URL, MaxEvents: limits.Events, Lease: 2 * time.Second,
		WhatsApp: fakewhatsapp.HTTPClient(s.Addr), Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&w.config)
	}
	w.store = w.config.Store
	w.pair(shop)
	w.gateway, w.stop = w.run()
	w.await(device.Connected)
	return w
}

// pair links a number. Its phone scans the code.
func (w *world) pair(number string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	pairer := &pairing.Pairer{Store: w.store, WhatsApp: w.config.WhatsApp}
	err := pairer.Pair(ctx, number, false, func(text string, _ time.Time) {
		if err := w.whatsApp.ScanQR(text, number); err != nil {
			w.t.Error(err)
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// run starts a gateway on the world's store.
func (w *world) run() (*gateway.Gateway, func()) {
	g := gateway.New(w.config)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); g.Run(ctx) }()
	stop := func() {
		cancel()
		select {
		case <-done:
		case <-time.After(patience):
			w.t.Errorf("the gateway did not end within %v", patience)
		}
	}
	w.t.Cleanup(stop)
	return g, stop
}

func (w *world) griot(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	known, keyErr := protocol.Known([]protocol.Key{key}, r.Header, time.Now())
	if err != nil || keyErr != nil || known.Verify(r, body) != nil {
		w.t.Errorf("an event came with a wrong signature")
	}
	if !w.old.Load() {
		rw.Header().Set(protocol.HeaderFeatures, protocol.FeatureIDs)
	}
	if w.away.Load() {
		rw.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var e protocol.Event
	if err := json.Unmarshal(body, &e); err != nil {
		w.t.Error(err)
	}
	if w.old.Load() && e.Inbound != nil && e.Inbound.From == "" {
		rw.WriteHeader(http.StatusBadRequest)
		w.rejected <- e
		return
	}
	if respond := w.response.Load(); respond != nil {
		if status := (*respond)(e); status != http.StatusOK {
			rw.WriteHeader(status)
			return
		}
	}
	w.events <- e
}

// respond sets the function that returns the statuses of Griot's responses.
func (w *world) respond(f func(protocol.Event) int) { w.response.Store(&f) }

// next returns the next event that matches.
func (w *world) next(what string, matches func(protocol.Event) bool) protocol.Event {
	w.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case e := <-w.events:
			if matches(e) {
				return e
			}
		case <-timeout:
			w.t.Fatalf("no %s came within %v", what, patience)
		}
	}
}

// await waits for a state of one of the numbers and returns it.
func (w *world) await(state device.State) protocol.Connection {
	w.t.Helper()
	return *w.next("state "+string(state), func(e protocol.Event) bool { return e.Connection != nil && e.Connection.State == string(state) }).Connection
}

func (w *world) inbound() protocol.Inbound {
	w.t.Helper()
	return *w.next("message", func(e protocol.Event) bool { return e.Inbound != nil }).Inbound
}

// ask sends a signed request and decodes its response.
func ask[T any](t *testing.T, g *gateway.Gateway, method, target string, body any) (int, T) {
	t.Helper()
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, target, bytes.NewReader(raw))
	key.Sign(r, target, raw, time.Now())
	r.Header.Set(protocol.HeaderFeatures, protocol.FeatureIDs)
	rec := httptest.NewRecorder()
	g.Handler().ServeHTTP(rec, r)
	var out T
	if err := json.Unmarshal(rec.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s %s: %v: %s", method, target, err, rec.Body)
	}
	return rec.Code, out
}

type object = map[string]any

func message(reference, text string, more object) object {
	m := object{"reference": reference, "channel": "whatsapp", "from": shop, "to": awa, "text": text}
	for name, value := range more {
		m[name] = value
	}
	return m
}

// refused sends a message and returns the reason for its refusal.
func (w *world) refused(m object) protocol.Failure {
	w.t.Helper()
	status, r := ask[protocol.Refusal](w.t, w.gateway, "POST", "/send", m)
	if status == http.StatusOK {
		w.t.Errorf("message %v was taken", m["reference"])
	}
	return r.Error
}

func (w *world) taken(m object) protocol.Accepted {
	w.t.Helper()
	status, a := ask[protocol.Accepted](w.t, w.gateway, "POST", "/send", m)
	if status != http.StatusOK || a.Reference != m["reference"] {
		w.t.Fatalf("message %v: %d %+v, want it taken", m["reference"], status, a)
	}
	return a
}

// settled sends a message repeatedly while the number is connecting, and returns the failure, or none.
func (w *world) settled(m object) protocol.Failure {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		status, r := ask[protocol.Refusal](w.t, w.gateway, "POST", "/send", m)
		if status == http.StatusOK {
			return protocol.Failure{}
		}
		if r.Error.Class != device.Temporary || time.Now().After(deadline) {
			return r.Error
		}
	}
}

// broken is the status of an aborted response.
const broken = -1

// fetch requests an attachment.
func (w *world) fetch(path string) (status int, data []byte) {
	w.t.Helper()
	server := httptest.NewUnstartedServer(w.gateway.Handler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	defer server.Close()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, server.URL+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	key.Sign(r, path, nil, time.Now())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return broken, nil
	}
	defer answer.Body.Close()
	data, err = io.ReadAll(answer.Body)
	if err != nil {
		return broken, data
	}
	return answer.StatusCode, data
}
