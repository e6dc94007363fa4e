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
	kind, settings, err := s.settings(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &TestResult{Kind: kind}
	if s.open != nil {
		if g, done := s.open.Use(name); g != nil {
			defer done()
			t.probe(ctx, g)
			if c, ok := g.(gateway.Connector); ok {
				if channels := g.Info().Channels; len(channels) > 0 {
					t.State = c.State(channels[0], "").State
				}
			}
			return t, nil
		}
	}
	if settings == nil { // only a server can open it
		return nil, ErrNotFound
	}
	g, err := s.openDriver(name, kind, settings)
	if err != nil {
		return nil, &SettingsError{err}
	}
	t.probe(ctx, g)
	return t, g.Close()
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
