package roster

import (
	"cmp"
	"context"
	"slices"
	"time"

	"griot/gateway"
)

// Entry is a gateway of the deployment. Nothing of its settings is in it.
type Entry struct {
	Name, Kind string
	Stored     bool      // in the database, and not in the configuration
	CreatedAt  time.Time // of a stored one
	Channels   []gateway.Channel
	Open       bool           // in this process
	Problem    string         // why it is not open as it is stored
	Record     gateway.Record // of this process
}

// List lists the gateways by name.
func (r *Roster) List(ctx context.Context) ([]Entry, error) {
	found, err := list(r.o.DB.Read(ctx))
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Entry
	for _, c := range r.o.Configured {
		out = append(out, r.seen(Entry{Name: c.Name, Kind: c.Kind}))
	}
	for _, g := range found {
		out = append(out, r.seen(Entry{Name: g.name, Kind: g.kind, Stored: true, CreatedAt: g.created, Problem: r.problems[g.name].text}))
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

func (r *Roster) seen(e Entry) Entry {
	if r.open == nil {
		return e
	}
	e.Record = r.open.Record(e.Name)
	if g := r.open.Get(e.Name); g != nil {
		e.Open, e.Channels = true, g.Info().Channels
	}
	return e
}

// Running reports whether this is the roster of a server.
func (r *Roster) Running() bool { return r.open != nil }

// State returns how one of our addresses does, in a server.
func (r *Roster) State(name string, channel gateway.Channel, from string) gateway.ConnState {
	if r.open == nil {
		return ""
	}
	return r.open.Seen(name, channel, from)
}
