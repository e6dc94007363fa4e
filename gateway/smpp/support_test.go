package smpp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/waittest"
)

const (
	griot   = "22376000000"
	aissata = "22370000001"
	moussa  = "22370000002"
)

// settingsFor returns settings for a center on a port; more overrides members.
func settingsFor(port int, more map[string]any) json.RawMessage {
	members := map[string]any{
		"host": "127.0.0.1", "port": port, "tls": "none", "system_id": smpptest.SystemID, "password": smpptest.Password,
	}
	maps.Copy(members, more)
	raw, _ := json.Marshal(members)
	return raw
}

// fixture is a driver with its environment.
type fixture struct {
	*sender
	*gatewaytest.Environment
	t    *testing.T
	stop func()
}

// open opens the driver, and closes it with the test.
func open(t *testing.T, raw json.RawMessage) *fixture {
	t.Helper()
	env := gatewaytest.NewEnvironment()
	s, err := Open(raw, env.Deps())
	if err != nil {
		t.Fatal(err)
	}
	r := &fixture{sender: s.(*sender), Environment: env, t: t, stop: func() {}}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		r.stop()
	})
	return r
}

// start opens and runs the driver until the test ends, or until stop.
func start(t *testing.T, raw json.RawMessage) *fixture {
	t.Helper()
	r := open(t, raw)
	r.run()
	return r
}

// run runs the driver until the test ends, or until stop.
func (r *fixture) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	stopped := false
	r.stop = func() {
		cancel()
		if stopped {
			return
		}
		stopped = true
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	}
}

// connected waits until the driver is connected.
func (s *sender) connected(ctx context.Context) error {
	return s.reaches(ctx, gateway.Connected)
}

// reaches waits until the driver is in a state.
func (s *sender) reaches(ctx context.Context, state gateway.ConnState) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if s.State(gateway.SMS, griot).State == state {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("state is %s, want %s: %w", s.State(gateway.SMS, griot).State, state, ctx.Err())
		}
	}
}

func (r *fixture) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// testContext returns a context with a timeout that only failing tests reach.
func testContext(t *testing.T) context.Context { return waittest.Context(t) }

// text returns a valid message.
func text(s string) *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.SMS, From: griot, To: aissata, Text: s}
}

// sinkFunc is a sink of inbound messages; it drops receipts and changes.
type sinkFunc func(ctx context.Context, in gateway.Inbound) error

func (f sinkFunc) Inbound(ctx context.Context, in gateway.Inbound) error { return f(ctx, in) }
func (f sinkFunc) Receipt(context.Context, gateway.Receipt) error        { return nil }
func (f sinkFunc) Change(context.Context, gateway.Change) error          { return nil }
