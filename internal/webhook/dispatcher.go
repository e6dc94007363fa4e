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
	Client *http.Client // from safedial, because customers choose the addresses
	Timing Timing
	Now    clock.Now
	Log    *slog.Logger
	Signal *Signal
	Agent  string        // User-Agent of deliveries
	Keep   time.Duration // how long events and their attempts are kept; 0: permanently

	Metrics *metrics.Dispatcher // counts deliveries; nil: not counted

	// Prepare returns the body of an attempt at an event, or nil if the event was deleted. If Prepare is nil, the
	// event's own body is used. Type is the media type; empty: JSON.
	Prepare func(ctx context.Context, c *Claimed) (body []byte, err error)
	Type    string
	// FinalStatus is the status with which an endpoint permanently refuses an event. Zero: none.
	FinalStatus int

	// Record returns a write for the transaction that records, once, that an endpoint was disabled. Nil: nothing is
	// written.
	Record func(n *Notice) func(tx *db.Tx) error
}

// PerEndpoint is the maximum number of concurrent attempts at an endpoint.
const PerEndpoint = 8

// IdlePerHost is the maximum number of idle connections of a client to a host. A host can have endpoints of several
// owners.
const IdlePerHost = 64

const (
	maxInFlight   = 1024 // attempts of all endpoints
	pollEvery     = 250 * time.Millisecond
	pollGap       = 5 * time.Millisecond // between two polls, so that a claim gets several events when there are many
	leaseMargin   = 45 * time.Second     // lease time of a claim beyond an attempt's timeout, for waiting and for the commit
	commitMargin  = 10 * time.Second     // an attempt doesn't start with less of its lease left
	ownershipTime = 30 * time.Second     // time after which an endpoint no longer belongs to a process that doesn't renew it
	stopGrace     = 5 * time.Second      // for attempts in flight when the process ends
)

// Dispatcher delivers events to endpoints. [Dispatcher.Run] does all its work.
type Dispatcher struct {
	o        Options
	process  string // the id of this process
	box      *seal.Box
	poster   *Poster
	slots    chan struct{} // one per attempt in flight
	outcomes chan *outcome

	// Run sets these fields before they are used.
	ctx      context.Context // of claims
	attempts context.Context // of attempts, which continue for a short time after the process starts to end

	mu       sync.Mutex                 // held only briefly, because goroutines that store events take it
	workers  map[string]*endpointWorker // by owner
	places   int                        // number of reserved places at all endpoints
	offering bool                       // places can be reserved
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

// Run delivers until ctx ends. Then it gives the attempts in flight a short time, and releases its claims.
func (d *Dispatcher) Run(ctx context.Context) error {
	if d.o.DB.Engine() == db.SQLite { // no other process uses this database, so the leases in it are those of a dead process
		now := d.o.Now()
		if err := d.o.DB.Write(ctx, func(tx *db.Tx) error { return d.o.Queue.releaseAll(tx, now, d.lease()) }); err != nil {
			if ctx.Err() != nil {
				return nil // it was stopped before it started
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

// offerPlaces starts or stops offering places to goroutines that store events.
func (d *Dispatcher) offerPlaces(on bool) {
	d.mu.Lock()
	d.offering = on
	d.mu.Unlock()
	if on {
		d.o.Signal.dispatcher.Store(d)
	}
}

// poll searches for owners with due events until ctx ends, and wakes a worker for each.
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

// stayFor returns the time that a worker without work waits for more.
func (d *Dispatcher) stayFor() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.workers) > maxStaying {
		return 0
	}
	return stayFor
}

// removeWorker removes a worker without work. It returns false if the worker was woken in the meantime, or has
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
