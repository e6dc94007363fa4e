package gatewaystore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/griot/gateway"
)

// Entry is a gateway of the deployment. It contains no settings.
type Entry struct {
	Name, Kind string
	Stored     bool      // from the database, not from the configuration
	CreatedAt  time.Time // of a stored gateway
	Revision   string    // of a stored gateway; it changes with each change of the settings
	Channels   []gateway.Channel
	Open       bool          // in this process
	Problem    string        // the reason why the stored revision did not open
	Stats      gateway.Stats // of this process
}

// List lists the gateways by name.
func (s *Store) List(ctx context.Context) ([]Entry, error) {
	found, err := list(s.o.DB.Read(ctx))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Entry
	for _, c := range s.o.Configured {
		out = append(out, s.withState(Entry{Name: c.Name, Kind: c.Kind}))
	}
	for _, g := range found {
		out = append(out, s.withState(Entry{Name: g.name, Kind: g.kind, Stored: true, CreatedAt: g.created, Revision: g.revision, Problem: s.failures[g.name].text}))
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// withState adds the state in this process to a gateway.
func (s *Store) withState(e Entry) Entry {
	if s.open == nil {
		return e
	}
	e.Stats = s.open.Stats(e.Name)
	if g := s.open.Get(e.Name); g != nil {
		e.Open, e.Channels = true, g.Info().Channels
	}
	return e
}

// Running reports whether the store belongs to a server.
func (s *Store) Running() bool { return s.open != nil }

// Detail returns the state of one of our addresses on a gateway, with its reason. It is zero if no server runs.
func (s *Store) Detail(name string, channel gateway.Channel, from string) gateway.ConnDetail {
	if s.open == nil {
		return gateway.ConnDetail{}
	}
	return s.open.Observed(name, channel, from)
}
