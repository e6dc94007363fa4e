package gateway

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/internal/clock"
)

// drainTimeout is the time limit for the attempts of a removed gateway. It is longer than any attempt.
const drainTimeout = 30 * time.Second

// Set contains the gateways that a process has open, by name. It can change while attempts are in flight. An attempt
// ends with the gateway that it started with, and the next attempt uses the new gateway. A Set is safe for concurrent
// use.
type Set struct {
	open    atomic.Pointer[map[string]*member] // replaced as a whole, never changed
	monitor monitor

	mu       sync.Mutex // held while open is replaced
	unclosed []*member  // the open gateways, and the removed ones that are not closed yet
	changed  chan struct{}
}

// member is a gateway in a set.
type member struct {
	Sender
	webhook http.Handler  // nil: the driver has none
	uses    atomic.Int64  // attempts in flight, plus one while the gateway is in the set
	idle    chan struct{} // closed when uses is 0
	removed chan struct{} // closed when it is removed from the set
	running bool          // [Set.Run] runs it; guarded by Set.mu
}

// NewSet returns a set of open gateways.
func NewSet(open map[string]Sender) *Set {
	s := &Set{changed: make(chan struct{}), monitor: monitor{now: clock.System, log: slog.New(slog.DiscardHandler), byName: map[string]*gatewayStats{}}}
	s.open.Store(&map[string]*member{})
	for name, g := range open {
		s.Put(name, g)
	}
	return s
}

// Get returns a gateway for anything except attempts, or nil if there is none with this name.
func (s *Set) Get(name string) Sender {
	if g := (*s.open.Load())[name]; g != nil {
		return g.Sender
	}
	return nil
}

// Use returns a gateway for an attempt and keeps it open until done is called. It returns nil if there is none with
// this name. done is never nil.
func (s *Set) Use(name string) (g Sender, done func()) {
	for {
		g := (*s.open.Load())[name]
		if g == nil {
			return nil, func() {}
		}
		if g.acquire() {
			return g.Sender, g.release
		}
	}
}

// State returns the state of one of our addresses on a gateway. It is disconnected if the gateway does not exist, and
// connected if its driver is not a [Connector].
func (s *Set) State(name string, channel Channel, from string) ConnState {
	return s.Detail(name, channel, from).State
}

// Detail returns [Set.State] with its reason.
func (s *Set) Detail(name string, channel Channel, from string) ConnDetail {
	switch g := s.Get(name).(type) {
	case nil:
		return ConnDetail{State: Disconnected, Reason: "gateway_missing"}
	case Connector:
		return g.State(channel, from)
	}
	return ConnDetail{State: Connected}
}

// Webhook returns the handler for a gateway's provider, or nil if there is none.
func (s *Set) Webhook(name string) http.Handler {
	if g := (*s.open.Load())[name]; g != nil {
		return g.webhook
	}
	return nil
}

// Names lists the open gateways in alphabetical order.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(*s.open.Load())) }

// Put adds a gateway, or replaces the one with this name. The set closes it.
func (s *Set) Put(name string, g Sender) {
	added := &member{Sender: g, idle: make(chan struct{}), removed: make(chan struct{})}
	added.uses.Store(1)
	if r, ok := g.(WebhookReceiver); ok {
		added.webhook = r.WebhookHandler()
	}
	s.change(func(open map[string]*member) *member {
		old := open[name]
		open[name] = added
		s.unclosed = append(s.unclosed, added)
		return old
	})
}

// Remove removes a gateway. [Set.Run] closes it after its attempts in flight.
func (s *Set) Remove(name string) {
	s.change(func(open map[string]*member) *member {
		old := open[name]
		delete(open, name)
		return old
	})
}

func (s *Set) change(do func(open map[string]*member) (removed *member)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := maps.Clone(*s.open.Load())
	removed := do(open)
	s.open.Store(&open)
	if removed != nil {
		close(removed.removed)
		removed.release() // after the Store, so that no Use finds it anymore
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Run runs the gateways that are a [Runner], including those that are added later, and closes removed gateways after
// their attempts in flight. If runners is false, another process runs the Runners. Run returns when ctx ends, or with
// the first error of a Runner.
func (s *Set) Run(ctx context.Context, runners bool) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var work sync.WaitGroup
	defer work.Wait()
	var first atomic.Pointer[error]
	for {
		added, changed := s.notRunning()
		for _, g := range added {
			work.Go(func() {
				if err := s.run(ctx, g, runners); err != nil {
					first.CompareAndSwap(nil, &err)
					stop(err)
				}
			})
		}
		select {
		case <-ctx.Done():
			work.Wait()
			if err := first.Load(); err != nil {
				return *err
			}
			return nil
		case <-changed:
		}
	}
}

// notRunning returns the gateways that Run must start. changed is closed when there might be more.
func (s *Set) notRunning() (added []*member, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.unclosed {
		if !g.running {
			g.running = true
			added = append(added, g)
		}
	}
	return added, s.changed
}

// run runs one gateway until it is removed and closed, or ctx ends.
func (s *Set) run(ctx context.Context, g *member, runners bool) (err error) {
	background, stop := context.WithCancel(ctx)
	defer stop()
	runner := make(chan error, 1)
	if r, ok := g.Sender.(Runner); ok && runners {
		go func() { runner <- r.Run(background) }()
	} else {
		runner <- nil
	}
	result := runner // nil after the result was received
	for {
		select {
		case err = <-result:
			if err != nil && ctx.Err() == nil {
				return errors.Join(err, s.close(g))
			}
			result = nil
			continue
		case <-ctx.Done():
		case <-g.removed:
			g.waitIdle(ctx)
		}
		break
	}
	stop()
	if result != nil {
		err = <-result
	}
	select {
	case <-g.removed:
		return errors.Join(err, s.close(g))
	default:
		return err // Set.Close closes it after all runners have ended
	}
}

// waitIdle waits for the attempts in flight, at most for drainTimeout.
func (g *member) waitIdle(ctx context.Context) {
	timeout := time.NewTimer(drainTimeout)
	defer timeout.Stop()
	select {
	case <-g.idle:
	case <-timeout.C:
	case <-ctx.Done():
	}
}

func (s *Set) close(g *member) error {
	err := g.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unclosed = slices.DeleteFunc(s.unclosed, func(other *member) bool { return other == g })
	return err
}

// Close closes all gateways, including the removed ones whose attempts are in flight.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, g := range s.unclosed {
		errs = append(errs, g.Close())
	}
	return errors.Join(errs...)
}

// acquire counts an attempt. It returns false if the gateway was removed and is idle.
func (g *member) acquire() bool {
	for {
		n := g.uses.Load()
		if n == 0 {
			return false
		}
		if g.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (g *member) release() {
	if g.uses.Add(-1) == 0 {
		close(g.idle)
	}
}
