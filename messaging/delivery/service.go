package delivery

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/safedial"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/media"
	"griot/messaging/message"
	"griot/messaging/outbox"
)

// Options are what a Service is made of.
type Options struct {
	DB        *db.DB
	Key       *seal.Key // seals sensitive content
	Directory *account.Directory
	Presets   message.Presets
	Gateways  *gateway.Set // may change at any time
	Now       clock.Now
	Log       *slog.Logger
	Sandbox   bool              // every message but real ones is simulated (SVC_SANDBOX=1)
	Media     *media.Fetcher    // fetches attachments; nil: only gateways that take a link get them
	Links     safedial.Options  // judges their addresses before that
	Failpoint func(name string) // for tests: called at each of Failpoints; nil otherwise
	Notify    func()            // called when a webhook event was committed; nil: nobody waits

	// AcceptOnly: this process hands nothing over. What it accepts waits for a process that does.
	AcceptOnly bool

	Wait        time.Duration // how long Submit waits for the gateway; zero: DefaultWait
	Attempt     time.Duration // the most that one attempt may take; zero: DefaultAttempt
	QuickWait   time.Duration // as Wait, for a one-time code, whose channel is decided within the request; zero: DefaultQuickWait
	UnknownWait time.Duration // how long a receipt may still decide an unknown outcome; zero: DefaultUnknownWait
	Most        int64         // how many messages may be under way; 0: no bound
	Drain       time.Duration // how long Run waits at its end for the attempts in flight; zero: an attempt's time and two seconds
	Poll        time.Duration // how often the database is asked for what is ready or due; zero: DefaultPoll
	Lease       time.Duration // of a node, where several processes have the database; zero: DefaultLease
}

// Defaults of [Options].
const (
	DefaultWait        = 3 * time.Second
	DefaultAttempt     = 15 * time.Second
	DefaultQuickWait   = 30 * time.Second
	DefaultUnknownWait = time.Minute
	DefaultPoll        = 250 * time.Millisecond
	DefaultLease       = 10 * time.Second
)

const (
	quickAttempt = 8 * time.Second  // for a one-time code
	lookMargin   = 15 * time.Second // beyond an attempt's time, for its commit: then somebody looks again
	drainMargin  = 2 * time.Second
	inFlight     = 4096 // messages being handed over at once, of all senders
)

// Service accepts and delivers messages. It is safe for concurrent use; [Service.Run] does its background work.
type Service struct {
	o       Options
	outbox  *outbox.Store
	box     *seal.Box // for sensitive content
	print   []byte    // key of fingerprints
	slots   chan struct{}
	calls   sync.WaitGroup // what is being handed over
	lease   lease
	ctx     context.Context // of the workers
	stop    context.CancelFunc
	ending  atomic.Bool // nothing begins any more
	results results
	ceiling ceiling

	mu      sync.Mutex
	running bool // Run does its work
	workers map[string]*worker
	foreign map[string]time.Time // senders that other nodes have, and until when nobody asks again
	past    map[string]Health    // of senders whose workers have ended
	notices map[string]struct{}  // senders of other nodes that have new messages; nil: no notification is being sent
	working sync.WaitGroup       // workers
}

// New returns a service.
func New(o Options) *Service {
	o.Wait = orDefault(o.Wait, DefaultWait)
	o.Attempt = orDefault(o.Attempt, DefaultAttempt)
	o.QuickWait = orDefault(o.QuickWait, DefaultQuickWait)
	o.UnknownWait = orDefault(o.UnknownWait, DefaultUnknownWait)
	o.Poll = orDefault(o.Poll, DefaultPoll)
	o.Lease = orDefault(o.Lease, DefaultLease)
	o.Drain = orDefault(o.Drain, o.Attempt+drainMargin)
	s := &Service{
		o: o, outbox: outbox.New(o.DB, o.Now), box: o.Key.Box("message-content"), print: o.Key.Derive("request-fingerprint"), slots: make(chan struct{}, inFlight),
		workers: map[string]*worker{}, foreign: map[string]time.Time{}, past: map[string]Health{}, ceiling: ceiling{most: o.Most},
	}
	s.lease.alone.Store(s.outbox.SingleNode())
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

func orDefault(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return d
}

// lookAt is when somebody looks at a message again whose attempt begins now.
func (s *Service) lookAt(now time.Time) time.Time { return now.Add(s.o.Attempt + lookMargin) }

// Recover makes what the last process was handing over due at once, where no other process can have the database
// (SQLite), and gets this node's lease where others can. It comes before the first Submit and before Run: what this
// process hands over must not be taken for the last one's.
func (s *Service) Recover(ctx context.Context) error {
	if s.outbox.SingleNode() {
		return s.outbox.MakeInFlightDue(ctx)
	}
	_, err := s.renew(ctx)
	return err
}

// Run delivers: what waits for its turn or its time, and what processes that are gone have left. When ctx ends nothing
// is begun any more, and it waits for the attempts in flight, but not longer than Options.Drain: what a gateway hangs on
// is left to the next process.
func (s *Service) Run(ctx context.Context) error {
	s.begin()
	defer s.drain()
	var background sync.WaitGroup
	defer background.Wait()
	background.Go(func() { s.keepLease(ctx) })
	background.Go(func() { s.chores(ctx) })
	background.Go(func() { s.listen(ctx) })
	tick := time.NewTicker(s.o.Poll)
	defer tick.Stop()
	last := s.o.Now()
	for {
		now := s.o.Now()
		if back := last.Sub(now); back >= leastBack {
			if err := s.setBack(ctx, back); err != nil {
				s.o.Log.Error("the clock went back", "by", back, "err", err) // last stays: it is tried again
				now = last
			}
		}
		last = now
		if err := s.poll(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("looking for messages that are due", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// begin lets the workers work: those that there are, and those that come.
func (s *Service) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
	for _, w := range s.workers {
		s.working.Go(func() { w.run(s.ctx) })
	}
}

// poll wakes the workers of senders that have messages which are ready or due.
func (s *Service) poll(ctx context.Context) error {
	senders, err := s.outbox.Senders(ctx)
	if err != nil {
		return err
	}
	for _, id := range senders {
		s.wake(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.workers {
		w.poke()
	}
	return nil
}

// drain waits for the attempts in flight, for a time, and gives this node's senders back.
func (s *Service) drain() {
	s.ending.Store(true)
	s.stop()
	s.working.Wait()
	done := make(chan struct{})
	go func() {
		s.calls.Wait()
		close(done)
	}()
	timeout := time.NewTimer(s.o.Drain)
	defer timeout.Stop()
	select {
	case <-done:
	case <-timeout.C:
		s.o.Log.Warn("attempts in flight are left to the next process")
		return // its lease runs out: others wait for what is in flight
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainMargin)
	defer cancel()
	if err := s.outbox.ReleaseLease(ctx); err != nil {
		s.o.Log.Warn("giving up the node's lease", "err", err) // it runs out
	}
}
