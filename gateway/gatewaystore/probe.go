package gatewaystore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.com/griot/gateway"
)

// TestResult is the result of [Store.Test].
type TestResult struct {
	Kind    string
	State   gateway.ConnState // of its first channel; empty if no server runs
	Probed  bool              // a round trip was made; false: the driver has no probe
	Problem error             // the error of the round trip

	Ahead    time.Duration // difference between the gateway's clock and ours
	HasAhead bool          // Ahead is known

	Notices []gateway.Notice // what an operator should know although the gateway works
}

// Test makes a round trip to a gateway without sending a message. A server uses its open gateway. Another process
// opens one for the test.
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

// Try is like [Store.Test], for a gateway that is not stored. It opens the gateway with the settings and closes it
// again. Inbound messages are refused.
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

// CheckName returns the reason why a name cannot be a sender of a gateway, as a sentence for operators, or "" if it can.
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

// with calls do with a gateway. A server uses its open one. Another process opens one and closes it after the call.
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
	if n, ok := g.(gateway.Noticer); ok {
		t.Notices = n.Notices()
	}
	p, ok := g.(gateway.Prober)
	if !ok {
		return
	}
	t.Probed = true
	defer func() {
		if p := recover(); p != nil { // a bug in a driver fails only this test
			t.Problem = fmt.Errorf("the driver panicked: %v", p)
		}
	}()
	t.Problem = p.Probe(ctx)
	if c, ok := g.(gateway.ClockReader); ok {
		t.Ahead, t.HasAhead = c.ClockAhead()
	}
}

// settings returns the settings that a gateway is opened with, or nil for one whose Configured has an Open function.
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
