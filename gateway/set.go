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

	"griot/internal/clock"
)

// drainTime is how long the attempts of a gateway that was replaced may take: longer than the longest of them.
const drainTime = 30 * time.Second

// Set is the gateways that a process has open, by name. It may change while
// messages are on their way: who is in the middle of an attempt keeps the gateway
// that it began with, and everybody else has the new one. It is safe for concurrent use.
type Set struct {
	open    atomic.Pointer[map[string]*held] // replaced whole, never changed
	records records

	mu      sync.Mutex // held by who changes it
	ever    []*held    // those that are not closed: the open ones, and those that are being drained
	changed chan struct{}
}

// held is a gateway in a set.
type held struct {
	Sender
	webhook  http.Handler // nil: nobody calls
	uses     atomic.Int64 // attempts under way, and one for being in the set
	idle     chan struct{}
	out      chan struct{} // closed when it is taken out of the set
	attended bool          // held by Set.mu
}

// NewSet returns a set of gateways that are open.
func NewSet(open map[string]Sender) *Set {
	s := &Set{changed: make(chan struct{}), records: records{now: clock.System, log: slog.New(slog.DiscardHandler), by: map[string]*record{}}}
	s.open.Store(&map[string]*held{})
	for name, g := range open {
		s.Put(name, g)
	}
	return s
}

// Get returns a gateway to ask something of; nil without one of this name.
func (s *Set) Get(name string) Sender {
	if h := (*s.open.Load())[name]; h != nil {
		return h.Sender
	}
	return nil
}

// Use returns a gateway to make an attempt with, which is not closed before done
// is called; nil without one of this name. done is never nil.
func (s *Set) Use(name string) (g Sender, done func()) {
	for {
		h := (*s.open.Load())[name]
		if h == nil {
			return nil, func() {}
		}
		if h.take() {
			return h.Sender, h.leave
		}
	}
}

// State returns how the connection of one of our addresses on a gateway is. A
// gateway that is not there is disconnected; one without a connection to speak of is connected.
func (s *Set) State(name string, channel Channel, from string) ConnState {
	g := s.Get(name)
	if g == nil {
		return Disconnected
	}
	if c, ok := g.(Connector); ok {
		return c.State(channel, from)
	}
	return Connected
}

// Webhook returns what a gateway's provider calls; nil when it calls nothing.
func (s *Set) Webhook(name string) http.Handler {
	if h := (*s.open.Load())[name]; h != nil {
		return h.webhook
	}
	return nil
}

// Names lists the gateways that are open, in alphabetical order.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(*s.open.Load())) }

// Put adds a gateway, which is the set's to close from now on. It takes the place of one with the same name.
func (s *Set) Put(name string, g Sender) {
	h := &held{Sender: g, idle: make(chan struct{}), out: make(chan struct{})}
	h.uses.Store(1)
	if r, ok := g.(WebhookReceiver); ok {
		h.webhook = r.WebhookHandler()
	}
	s.change(func(open map[string]*held) *held {
		old := open[name]
		open[name] = h
		s.ever = append(s.ever, h)
		return old
	})
}

// Remove takes a gateway out. [Set.Run] closes it once its attempts have ended.
func (s *Set) Remove(name string) {
	s.change(func(open map[string]*held) *held {
		old := open[name]
		delete(open, name)
		return old
	})
}

func (s *Set) change(do func(open map[string]*held) (out *held)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := maps.Clone(*s.open.Load())
	out := do(open)
	s.open.Store(&open)
	if out != nil {
		close(out.out)
		out.leave() // after it can't be found any more
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Run does the gateways' background work (unless runners is false: another process
// does it), also of those that come later, and closes those that were taken out,
// once their attempts have ended. It returns when ctx ends, or with the first error of a [Runner].
func (s *Set) Run(ctx context.Context, runners bool) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var work sync.WaitGroup
	defer work.Wait()
	var first atomic.Pointer[error]
	for {
		fresh, changed := s.unattended()
		for _, h := range fresh {
			work.Go(func() {
				if err := s.attend(ctx, h, runners); err != nil {
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

// unattended are those that nobody cares for yet; the channel is closed when there may be more.
func (s *Set) unattended() (fresh []*held, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.ever {
		if !h.attended {
			h.attended = true
			fresh = append(fresh, h)
		}
	}
	return fresh, s.changed
}

// attend cares for one gateway until it is closed or ctx ends.
func (s *Set) attend(ctx context.Context, h *held, runners bool) (err error) {
	background, stop := context.WithCancel(ctx)
	defer stop()
	ran := make(chan error, 1)
	if r, ok := h.Sender.(Runner); ok && runners {
		go func() { ran <- r.Run(background) }()
	} else {
		ran <- nil
	}
	running := ran
	for out := h.out; ; {
		select {
		case err = <-running:
			if err != nil && ctx.Err() == nil {
				return errors.Join(err, s.end(h))
			}
			running = nil
			continue
		case <-ctx.Done():
		case <-out:
			h.drained(ctx)
		}
		break
	}
	stop()
	if running != nil {
		err = <-running
	}
	select {
	case <-h.out:
		return errors.Join(err, s.end(h))
	default:
		return err // Close closes it, after everybody's work has ended
	}
}

// drained waits for the attempts under way, as long as one can take.
func (h *held) drained(ctx context.Context) {
	late := time.NewTimer(drainTime)
	defer late.Stop()
	select {
	case <-h.idle:
	case <-late.C:
	case <-ctx.Done():
	}
}

// end closes a gateway and forgets it.
func (s *Set) end(h *held) error {
	err := h.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ever = slices.DeleteFunc(s.ever, func(other *held) bool { return other == h })
	return err
}

// Close closes all gateways, those too that are being drained.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, h := range s.ever {
		errs = append(errs, h.Close())
	}
	return errors.Join(errs...)
}

// take counts an attempt; false when the gateway is out of the set and idle.
func (h *held) take() bool {
	for {
		n := h.uses.Load()
		if n == 0 {
			return false
		}
		if h.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (h *held) leave() {
	if h.uses.Add(-1) == 0 {
		close(h.idle)
	}
}
