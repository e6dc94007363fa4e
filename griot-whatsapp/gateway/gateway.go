package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/internal/seal"
	"example.com/griot/griot-whatsapp/pairing"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
)

// Config contains the parts and settings of a gateway.
type Config struct {
	Store *store.Store
	Keys  []protocol.Key // the first signs events; requests can use any of them
	Griot string         // the base URL of the events
	Pace  protocol.Pace
	// Deduplicates is set if a message can be submitted again with the same ID.
	Deduplicates bool
	// FirstContact is set if the gateway can write to people who have not written first.
	FirstContact bool
	// OwnMessages is set if Griot gets what the owners of the numbers write to people on their phones.
	OwnMessages  bool
	MaxEvents    int
	Lease        time.Duration // time until the number of a crashed process can be taken over; 0: 15 seconds
	PairTimeout  time.Duration // maximum time to wait for a phone to pair; 0: ten minutes
	LookInterval time.Duration // interval of checks for numbers that other processes have paired or removed; 0: 2 seconds
	ContentWait  time.Duration // time for which the content of an unreadable message is awaited, before Griot gets the message without it; 0: one minute
	MissedPause  time.Duration // pause before a number reconnects after it failed to store an event; 0: one minute
	WhatsApp     *http.Client  // nil: connect to the real WhatsApp
	Log          *slog.Logger
}

// Times that are not configurable.
const (
	lookInterval  = 2 * time.Second
	ackTimeout    = 20 * time.Second
	startInterval = 100 * time.Millisecond // between two connections to WhatsApp
	maintainEvery = time.Hour
	missedPause   = time.Minute
)

// heldElsewhere is the reason for the state of a number that this process does not hold but can take over.
const heldElsewhere = "held_elsewhere"

// Gateway is a running gateway.
type Gateway struct {
	config   Config
	holder   string
	gate     *device.Gate
	metrics  *metrics
	draining atomic.Bool
	ids      atomic.Pointer[bool] // whether Griot accepts messages of people whose number is unknown; nil: not known yet
	pairs    *pairing.Set
	linked   chan struct{} // a number was paired
	looked   chan struct{} // closed after the first check of the stored numbers

	mu      sync.Mutex
	numbers map[string]*number // numbers that this process holds
	idle    map[string]device.Change
	news    map[string]protocol.Connection // states that were not sent to Griot yet
	busy    map[string]bool                // references of messages that are being submitted
	wake    chan struct{}
	running sync.WaitGroup
}

// New returns a gateway. Run starts it.
func New(c Config) *Gateway {
	if c.Lease == 0 {
		c.Lease = store.DefaultLease
	}
	if c.LookInterval == 0 {
		c.LookInterval = lookInterval
	}
	if c.ContentWait == 0 {
		c.ContentWait = contentWait
	}
	if c.MissedPause == 0 {
		c.MissedPause = missedPause
	}
	g := &Gateway{
		config: c, holder: seal.Name(), gate: device.NewGate(startInterval), numbers: map[string]*number{}, idle: map[string]device.Change{},
		news: map[string]protocol.Connection{}, busy: map[string]bool{}, wake: make(chan struct{}, 1), linked: make(chan struct{}, 1), looked: make(chan struct{}),
	}
	g.metrics = newMetrics(g)
	g.pairs = pairing.NewSet(&pairing.Pairer{Store: c.Store, WhatsApp: c.WhatsApp, Lease: c.Lease, Timeout: c.PairTimeout}, c.Log, func() {
		select {
		case g.linked <- struct{}{}:
		default:
		}
	})
	return g
}

// Run connects the numbers and sends events until ctx ends. All sockets are closed when it returns.
func (g *Gateway) Run(ctx context.Context) {
	g.running.Go(func() { g.bringEvents(ctx) })
	g.running.Go(func() { g.keepLeases(ctx) })
	look, maintain := time.NewTicker(g.config.LookInterval), time.NewTicker(maintainEvery)
	defer look.Stop()
	defer maintain.Stop()
	known := sync.OnceFunc(func() { close(g.looked) })
	for {
		if err := g.look(ctx); err == nil {
			known()
		} else if ctx.Err() == nil {
			g.config.Log.Error("the store can't be read", "error", err)
		}
		select {
		case <-look.C:
		case <-g.linked:
		case <-maintain.C:
			if err := g.config.Store.Maintain(ctx); err != nil && ctx.Err() == nil {
				g.config.Log.Error("old references were not deleted", "error", err)
			}
		case <-ctx.Done():
			g.pairs.Close()
			g.running.Wait()
			return
		}
	}
}

// look starts the numbers that no process holds, and stops those that were removed or paired again.
func (g *Gateway) look(ctx context.Context) error {
	if err := g.completePairings(ctx); err != nil {
		return err
	}
	stored, err := g.config.Store.Numbers(ctx)
	if err != nil {
		return err
	}
	wanted := map[string]string{}
	for _, n := range stored {
		wanted[n.Number] = n.JID
		if state := device.State(n.State); state.Final() {
			g.rest(n.Number, device.Change{State: state, Reason: string(state)})
			continue
		}
		g.mu.Lock()
		held := g.numbers[n.Number] != nil
		g.mu.Unlock()
		if held {
			continue
		}
		if n.Held {
			g.rest(n.Number, device.Change{State: device.Connecting, Reason: heldElsewhere})
			continue
		}
		asked := time.Now()
		lease, err := g.config.Store.Acquire(ctx, n.Number, g.holder, g.config.Lease)
		if err != nil {
			return err
		}
		if lease == nil {
			g.rest(n.Number, device.Change{State: device.Connecting, Reason: heldElsewhere})
			continue
		}
		g.start(ctx, n, lease, asked)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, n := range g.numbers {
		if wanted[name] != n.jid {
			n.removed.Store(wanted[name] == "")
			n.stop()
		}
	}
	for name := range g.idle {
		if _, ok := wanted[name]; !ok {
			delete(g.idle, name)
		}
	}
	return nil
}

// completePairings completes the pairings of killed processes.
func (g *Gateway) completePairings(ctx context.Context) error {
	linking, err := g.config.Store.Linking(ctx)
	if err != nil {
		return err
	}
	for number := range linking {
		lease, err := g.config.Store.Acquire(ctx, number, g.holder, g.config.Lease)
		if err != nil {
			return err
		}
		if lease == nil { // its pairing is under way, or the process was killed just now
			continue
		}
		err = pairing.Complete(ctx, g.config.Store, lease)
		g.release(lease)
		if err != nil {
			g.config.Log.Error("a number's pairing was not completed", "number", number, "error", err)
		}
	}
	return nil
}

// rest records the state of a number that this process does not hold.
func (g *Gateway) rest(name string, c device.Change) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known, ok := g.idle[name]; !ok || known.State != c.State {
		c.At = time.Now()
		g.idle[name] = c
	}
}

// held returns a number that this process holds, or the reason why it cannot be used.
func (g *Gateway) held(name string) (*number, *device.Failure) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.numbers[name]; n != nil {
		return n, nil
	}
	known, ok := g.idle[name]
	switch {
	case !ok:
		return nil, &device.Failure{Class: device.SenderDown, Code: "number_not_paired"}
	case known.State.Final():
		return nil, &device.Failure{Class: device.SenderDown, Code: "number_" + string(known.State)}
	default:
		return nil, &device.Failure{Class: device.Temporary, Code: "number_held_elsewhere"}
	}
}

// connections returns the states of all numbers.
func (g *Gateway) connections() []protocol.Connection {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := []protocol.Connection{}
	for name, n := range g.numbers {
		list = append(list, connection(name, n.device.State()))
	}
	for name, c := range g.idle {
		if g.numbers[name] == nil {
			list = append(list, connection(name, c))
		}
	}
	return list
}

func connection(number string, c device.Change) protocol.Connection {
	return protocol.Connection{Channel: "whatsapp", From: number, State: string(c.State), Reason: c.Reason, Until: c.Until.UTC(), At: c.At.UTC()}
}
