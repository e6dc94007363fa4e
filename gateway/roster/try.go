package roster

import (
	"context"
	"encoding/json"
	"fmt"

	"griot/gateway"
)

// Tried is what a test of a gateway has shown.
type Tried struct {
	Kind    string
	State   gateway.ConnState // of the first of its channels; empty where no server runs
	Probed  bool              // a round trip was made; false: the driver has none that sends nothing
	Problem error             // of the round trip
}

// Test makes a round trip to a gateway that sends no message: in a server with
// the open gateway, elsewhere with one that is opened for it.
//
// Errors: [ErrNone], *[SettingsError].
func (r *Roster) Test(ctx context.Context, name string) (*Tried, error) {
	kind, settings, err := r.settings(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &Tried{Kind: kind}
	if r.open != nil {
		if g, done := r.open.Use(name); g != nil {
			defer done()
			t.probe(ctx, g)
			if c, ok := g.(gateway.Connector); ok {
				if channels := g.Info().Channels; len(channels) > 0 {
					t.State = c.State(channels[0], "")
				}
			}
			return t, nil
		}
	}
	if settings == nil {
		return nil, ErrNone // only a server has it
	}
	g, err := r.openAs(name, kind, settings)
	if err != nil {
		return nil, &SettingsError{err}
	}
	t.probe(ctx, g)
	return t, g.Close()
}

func (t *Tried) probe(ctx context.Context, g gateway.Sender) {
	p, ok := g.(gateway.Prober)
	if !ok {
		return
	}
	t.Probed = true
	defer func() {
		if p := recover(); p != nil { // a driver's bug is that gateway's trouble only
			t.Problem = fmt.Errorf("the driver panicked: %v", p)
		}
	}()
	t.Problem = p.Probe(ctx)
}

// settings returns what a gateway is opened with; none for one that was open already.
func (r *Roster) settings(ctx context.Context, name string) (kind string, settings json.RawMessage, err error) {
	if c := r.configured(name); c != nil {
		return c.Kind, c.Settings, nil
	}
	g, err := find(r.o.DB.Read(ctx), name)
	if err != nil {
		return "", nil, err
	}
	if g == nil {
		return "", nil, ErrNone
	}
	settings, err = r.box.Open(g.settings, name)
	return g.kind, settings, err
}
