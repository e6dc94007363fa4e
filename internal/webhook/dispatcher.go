package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/seal"
)

// Options are what a Dispatcher is made of.
type Options struct {
	Queue  *Queue
	DB     *db.DB
	Key    *seal.Key    // seals the secrets
	Client *http.Client // dials what customers name: from safedial
	Timing Timing
	Now    clock.Now
	Log    *slog.Logger
	Signal *Signal
	Agent  string // User-Agent of deliveries

	// Notify notifies an owner that its endpoint was disabled. It is called again, for the same notice too, until it
	// returns nil. Nil: owners are not notified.
	Notify func(ctx context.Context, n *Notice) error
	// Record returns a write for the transaction that closes a notice, which happens once. Nil: nothing is written.
	Record func(n *Notice) func(tx *db.Tx) error
}

// PerEndpoint is how many tries an endpoint gets at once.
const PerEndpoint = 8

const (
	inFlight     = 1024 // of all endpoints
	pollEvery    = 250 * time.Millisecond
	roundGap     = 5 * time.Millisecond // between two looks: so that claims are of several events when there are many
	leaseMargin  = 45 * time.Second     // beyond a try's time: for what is claimed and waits its turn, and for the commit
	commitMargin = 10 * time.Second     // a try is not begun without this left of its lease
	ownTime      = 30 * time.Second     // an endpoint is a process's for this long, then renewed
	stopGrace    = 5 * time.Second      // for tries in flight when the process ends
)

// Dispatcher brings events to endpoints. [Dispatcher.Run] does all its work.
type Dispatcher struct {
	o       Options
	process string // this one
	box     *seal.Box
	poster  *Poster
	slots   chan struct{}
	done    chan *finish
	learns  chan *lesson

	mu      sync.Mutex
	pumps   map[string]*pump
	resting map[string]*pump // those that ended, whose endpoints fail: what they know is kept
	all     sync.WaitGroup   // pumps and their tries
}

// NewDispatcher returns a deliverer.
func NewDispatcher(o Options) *Dispatcher {
	return &Dispatcher{
		o: o, process: id.Random(), box: o.Queue.SecretBox(o.Key), slots: make(chan struct{}, inFlight), done: make(chan *finish, inFlight), learns: make(chan *lesson, inFlight), pumps: map[string]*pump{}, resting: map[string]*pump{},
		poster: &Poster{Client: o.Client, Now: o.Now, Timeout: o.Timing.Timeout, Agent: o.Agent},
	}
}

func (d *Dispatcher) lease() time.Duration { return d.o.Timing.Timeout + leaseMargin }

// Run delivers until ctx ends. Then it gives the tries in flight a moment, and
// gives back what it has claimed.
func (d *Dispatcher) Run(ctx context.Context) error {
	if d.o.DB.Engine() == db.SQLite { // no other process has this database: leases of the last one are void
		now := d.o.Now()
		if err := d.o.DB.Write(ctx, func(tx *db.Tx) error { return d.o.Queue.reclaim(tx, now, d.lease()) }); err != nil {
			if ctx.Err() != nil {
				return nil // it was told to end before it began
			}
			return err
		}
	}
	tries, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var background sync.WaitGroup
	background.Go(func() { d.finishAll(context.WithoutCancel(ctx)) })
	var chores sync.WaitGroup
	chores.Go(func() { d.chores(ctx) })
	d.rounds(ctx, tries)
	grace := time.AfterFunc(stopGrace, stop)
	d.all.Wait()
	grace.Stop()
	close(d.done)
	background.Wait()
	chores.Wait()
	d.o.Client.CloseIdleConnections()
	return d.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error { return d.o.Queue.disown(tx, d.process) })
}

// rounds looks for owners with due events until ctx ends, and gives each a pump.
func (d *Dispatcher) rounds(ctx, tries context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		stored := d.o.Signal.Wait()
		owners, err := d.o.Queue.Due(d.o.DB.Read(ctx), d.o.Now(), d.process)
		if err != nil && ctx.Err() == nil {
			d.o.Log.Error("looking for due events", "err", err)
		}
		for _, owner := range owners {
			d.pump(ctx, tries, owner)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-stored:
			pause(ctx, roundGap)
		}
	}
}

func pause(ctx context.Context, t time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(t):
	}
}

// pump wakes the owner's pump, or starts it.
func (d *Dispatcher) pump(ctx, tries context.Context, owner string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.pumps[owner]
	if p != nil {
		p.wake()
		return
	}
	if p = d.resting[owner]; p == nil {
		p = newPump(d, owner)
	}
	delete(d.resting, owner)
	d.pumps[owner] = p
	d.all.Go(func() { p.run(ctx, tries) })
}

// retire forgets a pump that has nothing to do. It reports false when the pump was woken meanwhile.
func (d *Dispatcher) retire(p *pump) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-p.woken:
		return false
	default:
	}
	delete(d.pumps, p.owner)
	if p.ailing() {
		d.resting[p.owner] = p
	}
	return true
}
