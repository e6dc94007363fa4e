package roster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/seal"
)

// Configured is a gateway of the configuration.
type Configured struct {
	Name, Kind string
	Settings   json.RawMessage
	Open       func(gateway.Sink) (gateway.Sender, error) // nil: its driver opens it
}

// Options are what a Roster is made of.
type Options struct {
	DB         *db.DB
	Key        *seal.Key
	Drivers    gateway.Registry
	Configured []Configured
	Sink       gateway.Sink // nil where no server runs
	Now        clock.Now
	Log        *slog.Logger
	// Used reports whether something lives on a gateway, so that it can't be removed; nil: nothing ever does.
	Used func(q *db.Query, name string) (bool, error)
}

// Roster is safe for concurrent use.
type Roster struct {
	o    Options
	box  *seal.Box
	open *gateway.Set // nil where no server runs

	mu       sync.Mutex // held by who brings open in line
	known    map[string]string
	problems map[string]problem
}

// problem is why a stored gateway is not open as it is stored.
type problem struct{ revision, text string }

// New returns the roster of a deployment whose server does not run: nothing is opened to stay.
func New(o Options) *Roster {
	return &Roster{o: o, box: o.Key.Box("gateway-settings"), known: map[string]string{}, problems: map[string]problem{}}
}

// Start returns a server's roster, and its gateways open. A gateway of the
// configuration that does not open is an error, and so is a name that is stored
// too. A stored gateway that does not open is logged, so that it can be mended
// while the others work.
func Start(ctx context.Context, o Options) (_ *Roster, _ *gateway.Set, err error) {
	r := New(o)
	r.open = gateway.NewSet(nil)
	r.open.Report(o.Log, o.Now)
	defer func() {
		if err != nil {
			err = errors.Join(err, r.open.Close())
		}
	}()
	for _, c := range o.Configured {
		g, err := r.openConfigured(&c)
		if err != nil {
			return nil, nil, err
		}
		r.open.Put(c.Name, g)
	}
	stored, err := list(o.DB.Read(ctx))
	if err != nil {
		return nil, nil, err
	}
	for _, g := range stored {
		if r.configured(g.name) != nil {
			return nil, nil, fmt.Errorf("gateway %q is in the configuration and in the database: rename the one, or remove the other (griot admin gateways remove %s)", g.name, g.name)
		}
	}
	return r, r.open, r.Sync(ctx)
}

// lookEvery is how often a server looks for what another process has changed.
const lookEvery = 3 * time.Second

// Run takes up what other processes change, until ctx ends.
func (r *Roster) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := r.Sync(ctx); err != nil && ctx.Err() == nil {
			r.o.Log.Error("looking for changed gateways", "err", err)
		}
	}
}

// Sync opens, replaces and takes out gateways until they are as they are stored.
// Of one that does not open, the one before stays.
func (r *Roster) Sync(ctx context.Context) error {
	if r.open == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	stored, err := list(r.o.DB.Read(ctx))
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, g := range stored {
		there[g.name] = true
		if r.known[g.name] == g.revision || r.problems[g.name].revision == g.revision {
			continue
		}
		if err := r.take(g); err != nil {
			r.problems[g.name] = problem{g.revision, err.Error()}
			r.o.Log.Error("a stored gateway can't be used", "gateway", g.name, "err", err)
			continue
		}
		delete(r.problems, g.name)
		r.o.Log.Info("gateway opened", "gateway", g.name, "kind", g.kind)
	}
	for name := range r.known {
		if !there[name] {
			delete(r.known, name)
			r.open.Remove(name)
			r.o.Log.Info("gateway removed", "gateway", name)
		}
	}
	for name := range r.problems {
		if !there[name] {
			delete(r.problems, name)
		}
	}
	return nil
}

// take opens a stored gateway.
func (r *Roster) take(g *stored) error {
	if r.configured(g.name) != nil {
		return ErrConfigured
	}
	settings, err := r.box.Open(g.settings, g.name)
	if err != nil {
		return err
	}
	opened, err := r.openAs(g.name, g.kind, settings)
	if err != nil {
		return err
	}
	r.open.Put(g.name, opened)
	r.known[g.name] = g.revision
	return nil
}

func (r *Roster) openConfigured(c *Configured) (gateway.Sender, error) {
	if c.Open != nil {
		return c.Open(r.sink(c.Name))
	}
	return r.openAs(c.Name, c.Kind, c.Settings)
}

func (r *Roster) openAs(name, kind string, settings json.RawMessage) (gateway.Sender, error) {
	deps := gateway.Deps{Name: name, Sink: r.sink(name), Now: r.o.Now, Log: r.o.Log.With("gateway", name)}
	if r.open != nil {
		deps.Log, deps.Connected = r.open.Log(name), func(err error) { r.open.Connected(name, err) }
	}
	return r.o.Drivers.Open(kind, settings, deps)
}

// sink is where a gateway brings what comes in.
func (r *Roster) sink(name string) gateway.Sink {
	if r.o.Sink == nil || r.open == nil {
		return nowhere{}
	}
	return r.open.Sink(name, r.o.Sink)
}

// nowhere is the sink of a gateway that is opened to be tried: what comes in waits at its provider.
type nowhere struct{}

var errNowhere = errors.New("no server runs")

func (nowhere) Inbound(context.Context, gateway.Inbound) error { return errNowhere }
func (nowhere) Receipt(context.Context, gateway.Receipt) error { return errNowhere }

func (r *Roster) configured(name string) *Configured {
	for i := range r.o.Configured {
		if r.o.Configured[i].Name == name {
			return &r.o.Configured[i]
		}
	}
	return nil
}
