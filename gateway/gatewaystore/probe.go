package gatewaystore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.com/griot/gateway"
)

// TestResult is what [Store.Test] found.
type TestResult struct {
	Kind    string
	State   gateway.ConnState // of the first of its channels; empty where no server runs
	Probed  bool              // a round trip was made; false: the driver has none that sends nothing
	Problem error             // of the round trip

	Ahead    time.Duration // how far the gateway's clock is ahead of ours
	HasAhead bool          // Ahead is known
}

// Test makes a round trip to a gateway without sending a message. A server uses
// its open gateway, any other process opens one for it.
//
// Errors: [ErrNotFound], *[SettingsError].
func (s *Store) Test(ctx context.Context, name string) (*TestResult, error) {
	var t TestResult
	err := s.with(ctx, name, func(kind string, g gateway.Sender, open bool) {
		t.Kind = kind
		t.probe(ctx, g)
		if c, ok := g.(gateway.Connector); ok && open {
			if channels := g.Info().Channels; len(channels) > 0 {
				t.State = c.State(channels[0], "").State
			}
		}
		if open && t.Probed {
			s.open.RecordTest(name, map[bool]gateway.TestState{true: gateway.TestPassed, false: gateway.TestFailed}[t.Problem == nil])
		}
	})
	if err != nil {
		return nil, err
	}
	return &t, nil
}

// Try is [Store.Test] for a gateway that is not stored: it is opened with the settings and closed again. What comes in is refused.
//
// Errors: *[SettingsError].
func (s *Store) Try(ctx context.Context, name, kind string, settings json.RawMessage) (*TestResult, error) {
	g, err := s.o.Drivers.Open(kind, settings, gateway.Deps{Name: name, Sink: noServerSink{}, Now: s.o.Now, Log: s.o.Log.With("gateway", name)})
	if err != nil {
		return nil, &SettingsError{err}
	}
	t := TestResult{Kind: kind}
	t.probe(ctx, g)
	return &t, g.Close()
}

// CheckName returns why a name can't be a sender of a gateway, in a sentence for operators; "" if it can.
//
// Errors: [ErrNotFound], *[SettingsError].
func (s *Store) CheckName(ctx context.Context, gatewayName, name string) (problem string, err error) {
	err = s.with(ctx, gatewayName, func(kind string, g gateway.Sender, _ bool) {
		if n, ok := g.(gateway.Namer); ok {
			problem = n.CheckName(name)
			return
		}
		problem = fmt.Sprintf("A gateway of the kind %s has no senders with names: the address is a number, or for SMS a short code.", kind)
	})
	return problem, err
}

// with calls do with a gateway: a server's open one, or one that is opened for the call and closed after it.
func (s *Store) with(ctx context.Context, name string, do func(kind string, g gateway.Sender, open bool)) error {
	kind, settings, err := s.settings(ctx, name)
	if err != nil {
		return err
	}
	if s.open != nil {
		if g, done := s.open.Use(name); g != nil {
			defer done()
			do(kind, g, true)
			return nil
		}
	}
	if settings == nil { // only a server can open it
		return ErrNotFound
	}
	g, err := s.openDriver(name, kind, settings)
	if err != nil {
		return &SettingsError{err}
	}
	do(kind, g, false)
	return g.Close()
}

func (t *TestResult) probe(ctx context.Context, g gateway.Sender) {
	p, ok := g.(gateway.Prober)
	if !ok {
		return
	}
	t.Probed = true
	defer func() {
		if p := recover(); p != nil { // a driver's bug fails this test only
			t.Problem = fmt.Errorf("the driver panicked: %v", p)
		}
	}()
	t.Problem = p.Probe(ctx)
	if c, ok := g.(gateway.ClockReader); ok {
		t.Ahead, t.HasAhead = c.ClockAhead()
	}
}

// settings returns what a gateway is opened with; nil for one whose Configured has its own Open.
func (s *Store) settings(ctx context.Context, name string) (kind string, settings json.RawMessage, err error) {
	if c := s.configured(name); c != nil {
		return c.Kind, c.Settings, nil
	}
	g, err := find(s.o.DB.Read(ctx), name)
	if err != nil {
		return "", nil, err
	}
	if g == nil {
		return "", nil, ErrNotFound
	}
	settings, err = s.box.Open(g.settings, name)
	return g.kind, settings, err
}
