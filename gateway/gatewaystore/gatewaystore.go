package gatewaystore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/task"
)

// Configured is a gateway of the configuration.
type Configured struct {
	Name, Kind string
	Settings   json.RawMessage
	Open       func(gateway.Sink) (gateway.Sender, error) // nil: its driver opens it
}

// Options contains the dependencies of a Store.
type Options struct {
	DB         *db.DB
	Key        *seal.Key
	Drivers    gateway.Registry
	Configured []Configured
	Now        clock.Now
	Log        *slog.Logger
	// InUse reports whether a gateway is in use and therefore cannot be removed. If it is nil, gateways can always be removed.
	InUse func(q *db.Query, name string) (bool, error)
	// Record returns a write for the transaction that changes a gateway. It is called before the transaction. If it
	// is nil, nothing is written.
	Record func(ctx context.Context, act Act, name, kind string) func(tx *db.Tx) error
}

// Store manages the gateways of a deployment. It is safe for concurrent use.
type Store struct {
	o    Options
	box  *seal.Box
	open *gateway.Set // nil before Open
	to   gateway.Sink // receives inbound messages and receipts

	mu       sync.Mutex             // held during changes of open
	opened   map[string]string      // the open revision, by name
	failures map[string]openFailure // by name
	notOpen  atomic.Pointer[[]string]
}

// openFailure is the reason why a stored gateway is not open in its stored revision.
type openFailure struct{ revision, text string }

// New returns a store without open gateways. [Store.Open] opens them.
func New(o Options) *Store {
	return &Store{o: o, box: o.Key.Box(boxPurpose), opened: map[string]string{}, failures: map[string]openFailure{}}
}

// Open opens the gateways and adds them to an empty set, which belongs to a server. Inbound messages and receipts are
// passed to the sink. Call it once, before the store is used concurrently.
//
// A gateway of the configuration that does not open is an error. A name that is in both the configuration and the
// database is also an error. A stored gateway that does not open is logged, so that the others work until an operator
// corrects it. After an error, the set is closed.
func (s *Store) Open(ctx context.Context, into *gateway.Set, to gateway.Sink) (err error) {
	s.open, s.to = into, to
	defer func() {
		if err != nil {
			err = errors.Join(err, s.open.Close())
		}
	}()
	for _, c := range s.o.Configured {
		g, err := s.openConfigured(&c)
		if err != nil {
			return err
		}
		s.open.Put(c.Name, g)
	}
	stored, err := list(s.o.DB.Read(ctx))
	if err != nil {
		return err
	}
	for _, g := range stored {
		if s.configured(g.name) != nil {
			return fmt.Errorf("gateway %q is in the configuration and in the database: rename the one, or remove the other (griot admin gateways remove %s)", g.name, g.name)
		}
	}
	return s.Sync(ctx)
}

// syncInterval is the interval at which a server reads the changes of other processes.
const syncInterval = 3 * time.Second

// Run calls [Store.Sync] every few seconds until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	return task.Every(ctx, syncInterval, s.o.Log, "looking for changed gateways", s.Sync)
}

// Sync opens, replaces, and removes gateways until they match the stored ones. If a changed gateway does not open,
// its previous version stays open.
func (s *Store) Sync(ctx context.Context) error {
	if s.open == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, err := list(s.o.DB.Read(ctx))
	if err != nil {
		return err
	}
	current := map[string]bool{}
	for _, g := range stored {
		current[g.name] = true
		if s.opened[g.name] == g.revision || s.failures[g.name].revision == g.revision {
			continue
		}
		if err := s.openStored(&g); err != nil {
			s.failures[g.name] = openFailure{g.revision, err.Error()}
			s.o.Log.Error("a stored gateway can't be used", "gateway", g.name, "err", err)
			continue
		}
		delete(s.failures, g.name)
		s.o.Log.Info("gateway opened", "gateway", g.name, "kind", g.kind)
	}
	for name := range s.opened {
		if !current[name] {
			delete(s.opened, name)
			s.open.Remove(name)
			s.o.Log.Info("gateway removed", "gateway", name)
		}
	}
	var notOpen []string
	for name := range s.failures {
		if !current[name] {
			delete(s.failures, name)
		} else if s.open.Get(name) == nil {
			notOpen = append(notOpen, name)
		}
	}
	slices.Sort(notOpen)
	s.notOpen.Store(&notOpen)
	return nil
}

// NotOpen lists the stored gateways that this process could not open in any version.
func (s *Store) NotOpen() []string {
	if names := s.notOpen.Load(); names != nil {
		return *names
	}
	return nil
}

// openStored opens a stored gateway and puts it into the set.
func (s *Store) openStored(g *stored) error {
	if s.configured(g.name) != nil {
		return ErrConfigured
	}
	settings, err := s.box.Open(g.settings, g.name)
	if err != nil {
		return err
	}
	opened, err := s.openDriver(g.name, g.kind, settings)
	if err != nil {
		return err
	}
	s.open.RecordTest(g.name, "")
	s.open.Put(g.name, opened)
	s.opened[g.name] = g.revision
	return nil
}

func (s *Store) openConfigured(c *Configured) (gateway.Sender, error) {
	if c.Open != nil {
		return c.Open(s.sink(c.Name))
	}
	return s.openDriver(c.Name, c.Kind, c.Settings)
}

func (s *Store) openDriver(name, kind string, settings json.RawMessage) (gateway.Sender, error) {
	deps := gateway.Deps{Name: name, Sink: s.sink(name), Now: s.o.Now, Log: s.o.Log.With("gateway", name)}
	if s.open != nil {
		deps.Log, deps.Connected = s.open.Log(name), func(err error) { s.open.RecordConnection(name, err) }
		deps.ReceiptUnreadable = func() { s.open.RecordUnreadableReceipt(name) }
		deps.Unhandled = func(reason string) { s.open.RecordUnhandled(name, reason) }
	}
	return s.o.Drivers.Open(kind, settings, deps)
}

// sink returns the sink that a gateway is opened with.
func (s *Store) sink(name string) gateway.Sink {
	if s.open == nil {
		return noServerSink{}
	}
	return s.open.Sink(name, s.to)
}

// noServerSink is the sink of a gateway that is opened only for a check. It refuses everything, so that the provider keeps its data.
type noServerSink struct{}

var errNoServer = errors.New("no server runs")

func (noServerSink) Inbound(context.Context, gateway.Inbound) error { return errNoServer }
func (noServerSink) Receipt(context.Context, gateway.Receipt) error { return errNoServer }
func (noServerSink) Change(context.Context, gateway.Change) error   { return errNoServer }

func (s *Store) configured(name string) *Configured {
	for i := range s.o.Configured {
		if s.o.Configured[i].Name == name {
			return &s.o.Configured[i]
		}
	}
	return nil
}
