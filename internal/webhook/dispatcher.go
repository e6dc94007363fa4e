package webhook

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/seal"
)

// Options are the dependencies of a Dispatcher.
type Options struct {
	Queue  *Queue
	DB     *db.DB
	Key    *seal.Key    // seals the secrets
	Client *http.Client // from safedial: customers choose the addresses
	Timing Timing
	Now    clock.Now
	Log    *slog.Logger
	Signal *Signal
	Agent  string        // User-Agent of deliveries
	Keep   time.Duration // how long events and their attempts are kept; 0: for ever

	Metrics *metrics.Dispatcher // counts deliveries; nil: nobody does

	// Prepare returns the body of an attempt at an event, or nil if the event was deleted. Nil: it is the event's body. Type is
	// the media type; empty: JSON.
	Prepare func(ctx context.Context, c *Claimed) (body []byte, err error)
	Type    string
	// FinalStatus is the status by which an endpoint refuses an event for good. Zero: there is none.
	FinalStatus int

	// Record returns a write for the transaction that records that an endpoint was disabled, which happens once. Nil:
	// nothing is written.
	Record func(n *Notice) func(tx *db.Tx) error
}

// PerEndpoint is how many attempts an endpoint gets at once.
const PerEndpoint = 8

// IdlePerHost is how many idle connections a client keeps to a host, where there may be endpoints of several owners.
const IdlePerHost = 64

const (
	maxInFlight   = 1024 // attempts of all endpoints
	pollEvery     = 250 * time.Millisecond
	pollGap       = 5 * time.Millisecond // between two polls, so that a claim gets several events when there are many
	leaseMargin   = 45 * time.Second     // of a claim beyond an attempt's timeout: for waiting its turn, and for the commit
	commitMargin  = 10 * time.Second     // an attempt does not begin with less of its lease left
	ownershipTime = 30 * time.Second     // how long an endpoint belongs to a process that does not renew it
	stopGrace     = 5 * time.Second      // for attempts in flight when the process ends
)

// Dispatcher delivers events to endpoints. [Dispatcher.Run] does all its work.
type Dispatcher struct {
	o        Options
	process  string // the id of this process
	box      *seal.Box
	poster   *Poster
	slots    chan struct{} // one for each attempt in flight
	outcomes chan *outcome

	// Set by Run before anything else uses them.
	ctx      context.Context // of claims
	attempts context.Context // of attempts, which go on for a moment when the process ends

	mu       sync.Mutex                 // held for moments only: those who store events take it
	workers  map[string]*endpointWorker // by owner
	places   int                        // reserved at all endpoints
	offering bool                       // places may be reserved
	running  sync.WaitGroup             // workers, their attempts, and places
}

// NewDispatcher returns a dispatcher.
func NewDispatcher(o Options) *Dispatcher {
	o.Type = cmp.Or(o.Type, "application/json")
	return &Dispatcher{
		o: o, process: id.Random(), box: o.Queue.SecretBox(o.Key), slots: make(chan struct{}, maxInFlight), outcomes: make(chan *outcome, maxInFlight),
		workers: map[string]*endpointWorker{},
		poster:  &Poster{Client: o.Client, Now: o.Now, Timeout: o.Timing.Timeout, Agent: o.Agent},
	}
}

func (d *Dispatcher) lease() time.Duration { return d.o.Timing.Timeout + leaseMargin }

// Run delivers until ctx ends. Then it gives the attempts in flight a moment, and releases what it has claimed.
func (d *Dispatcher) Run(ctx context.Context) error {
	if d.o.DB.Engine() == db.SQLite { // no other process uses this database: the leases in it are those of a dead one
		now := d.o.Now()
		if err := d.o.DB.Write(ctx, func(tx *db.Tx) error { return d.o.Queue.releaseAll(tx, now, d.lease()) }); err != nil {
			if ctx.Err() != nil {
				return nil // it was stopped before it began
			}
			return err
		}
	}
	attempts, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	d.ctx, d.attempts = ctx, attempts
	var writer, maintenance sync.WaitGroup
	writer.Go(func() { d.writeOutcomes(context.WithoutCancel(ctx)) })
	maintenance.Go(func() { d.maintain(ctx) })
	d.offerPlaces(true)
	d.poll(ctx)
	d.offerPlaces(false)
	grace := time.AfterFunc(stopGrace, stop)
	d.running.Wait()
	grace.Stop()
	close(d.outcomes)
	writer.Wait()
	maintenance.Wait()
	d.o.Client.CloseIdleConnections()
	return d.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error { return d.o.Queue.releaseEndpoints(tx, d.process) })
}

// offerPlaces begins or ends offering places to those who store events.
func (d *Dispatcher) offerPlaces(on bool) {
	d.mu.Lock()
	d.offering = on
	d.mu.Unlock()
	if on {
		d.o.Signal.dispatcher.Store(d)
	}
}

// poll looks for owners with due events until ctx ends, and wakes a worker for each.
func (d *Dispatcher) poll(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		stored := d.o.Signal.Wait()
		owners, err := d.o.Queue.Due(d.o.DB.Read(ctx), d.o.Now(), d.process)
		if err != nil && ctx.Err() == nil {
			d.o.Log.Error("looking for due events", "err", err)
		}
		for _, owner := range owners {
			d.wakeWorker(owner)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-stored:
			pause(ctx, pollGap)
		}
	}
}

func pause(ctx context.Context, t time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(t):
	}
}

// wakeWorker wakes the worker of an owner's endpoint, or starts it.
func (d *Dispatcher) wakeWorker(owner string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.workers[owner]
	if w != nil {
		w.wake()
		return
	}
	w = newEndpointWorker(d, owner)
	d.workers[owner] = w
	d.running.Go(func() { w.run(d.ctx, d.attempts) })
}

// stayFor returns how long a worker that has nothing to do waits for more.
func (d *Dispatcher) stayFor() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.workers) > maxStaying {
		return 0
	}
	return stayFor
}

// removeWorker removes a worker that has nothing to do. It reports false when the worker was woken meanwhile, or has
// attempts in flight.
func (d *Dispatcher) removeWorker(w *endpointWorker) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(w.woken) > 0 || w.busy() {
		return false
	}
	delete(d.workers, w.owner)
	return true
}
