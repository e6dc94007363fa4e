package delivery

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/media"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/person"
)

// Options configure a [Service].
type Options struct {
	DB        *db.DB
	Key       *seal.Key // encrypts sensitive content
	Directory *account.Directory
	Presets   message.Presets
	Gateways  *gateway.Set // can change at any time
	Now       clock.Now
	Log       *slog.Logger
	Sandbox   bool              // all messages except real ones are simulated (SVC_SANDBOX=1)
	Media     *media.Fetcher    // fetches attachments; nil: only gateways that accept a link get them
	Links     safedial.Options  // rules for the URLs of attachments before that
	Failpoint func(name string) // for tests: called at each of Failpoints; otherwise nil
	Signal    *webhook.Signal   // for webhook events; nil: no one waits for them
	Metrics   metrics.Groups    // the zero value disables metrics

	// AcceptOnly means that this process only accepts messages, and another process sends them.
	AcceptOnly bool

	Wait        time.Duration // time for which Submit waits for the gateway; zero: DefaultWait
	Attempt     time.Duration // time limit of one attempt; zero: DefaultAttempt
	QuickWait   time.Duration // like Wait, for a one-time code, which can take several routes within the request; zero: DefaultQuickWait
	UnknownWait time.Duration // time for which a receipt can still settle an unknown outcome; zero: DefaultUnknownWait
	MaxBacklog  int64         // maximum number of messages that are ready or in flight; 0: no limit
	Drain       time.Duration // time for which Run waits at its end for the attempts in flight; zero: an attempt's time plus two seconds
	Poll        time.Duration // interval of database reads for ready or due messages; zero: DefaultPoll
	Lease       time.Duration // of a node, if several processes use the database; zero: DefaultLease
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
	lookMargin   = 15 * time.Second // time after an attempt, for its commit, until the message is checked
	drainMargin  = 2 * time.Second
	maxInFlight  = 4096 // for all senders
)

// A Service accepts and sends messages. It is safe for concurrent use. [Service.Run] does its background work.
type Service struct {
	o             Options
	outbox        *outbox.Store
	contentBox    *seal.Box    // for sensitive content
	fingerprints  *seal.Secret // of requests
	people        *person.Key
	sweptKeys     *message.SweptKeys
	slots         chan struct{}
	calls         callGroup // submissions, calls of gateways, and the steps that follow them
	lease         lease
	ctx           context.Context // for the workers
	stop          context.CancelFunc
	stopping      atomic.Bool                         // no more attempts start
	paused        atomic.Pointer[map[string]struct{}] // senders that their accounts have paused, by id
	sendingPaused atomic.Bool                         // the whole deployment is paused
	readingPaused sync.Mutex                          // of paused and sendingPaused
	resuming      atomic.Int32                        // number of ends of suspensions in progress
	results       results
	backlog       backlogLimit
	transitions   map[gateway.Channel]*metrics.Transitions

	mu           sync.Mutex
	running      bool // Run has started
	workers      map[string]*worker
	claimAgainAt map[string]time.Time // for senders that other nodes own
	pastHealth   map[string]Health    // for senders whose workers have ended
	toNotify     map[string]struct{}  // senders of other nodes that have new messages; nil: no notification is being sent
	workerGroup  sync.WaitGroup
}

// New returns a service.
func New(o Options) *Service {
	o.Wait = cmp.Or(o.Wait, DefaultWait)
	o.Attempt = cmp.Or(o.Attempt, DefaultAttempt)
	o.QuickWait = cmp.Or(o.QuickWait, DefaultQuickWait)
	o.UnknownWait = cmp.Or(o.UnknownWait, DefaultUnknownWait)
	o.Poll = cmp.Or(o.Poll, DefaultPoll)
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	o.Drain = cmp.Or(o.Drain, o.Attempt+drainMargin)
	swept, people := message.NewSweptKeys(o.Key), person.NewKey(o.Key)
	s := &Service{
		o: o, outbox: outbox.NewCounted(o.DB, o.Signal, swept, people, o.Now, o.Metrics.Messages), contentBox: o.Key.Box(boxPurpose), fingerprints: o.Key.Secret("request-fingerprint"), people: people, sweptKeys: swept, slots: make(chan struct{}, maxInFlight),
		workers: map[string]*worker{}, claimAgainAt: map[string]time.Time{}, pastHealth: map[string]Health{}, backlog: backlogLimit{max: o.MaxBacklog}, transitions: transitions(o.Metrics.Messages),
	}
	s.lease.alone.Store(s.outbox.SingleNode())
	s.ctx, s.stop = context.WithCancel(context.Background())
	o.Directory.OnForget(s.outbox.Forget)
	return s
}

// lookAgainAt returns the time of the check for a message whose attempt starts now.
func (s *Service) lookAgainAt(now time.Time) time.Time { return now.Add(s.o.Attempt + lookMargin) }

// Recover schedules checks of the messages that the last process was submitting, if no other process can use the
// database (SQLite). Otherwise (PostgreSQL), it takes this node's lease. Call it before Submit and Run, so that this
// process's own messages in flight are not included. First, it ends the messages that a restore has left.
func (s *Service) Recover(ctx context.Context) error {
	if _, err := s.EndRestored(ctx); err != nil {
		return err
	}
	if err := s.readPaused(ctx); err != nil {
		return err
	}
	if s.outbox.SingleNode() {
		return s.outbox.MakeInFlightDue(ctx)
	}
	_, err := s.renew(ctx)
	return err
}

// Run sends messages until ctx ends. Then it starts no more attempts and waits for those in flight, at most
// Options.Drain. The next process handles messages that are still in flight after that.
func (s *Service) Run(ctx context.Context) error {
	s.startWorkers()
	defer s.drain()
	var background sync.WaitGroup
	defer background.Wait()
	background.Go(func() { s.keepLease(ctx) })
	background.Go(func() { s.maintain(ctx) })
	background.Go(func() { s.listen(ctx) })
	tick := time.NewTicker(s.o.Poll)
	defer tick.Stop()
	last := s.o.Now()
	for {
		now := s.o.Now()
		if back := last.Sub(now); back >= minClockStep {
			if err := s.clockSetBack(ctx, back); err != nil {
				s.o.Log.Error("the clock went back", "by", back, "err", err) // it is tried again
				now = last
			}
		}
		last = now
		s.outbox.ForgetOld()
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

// startWorkers starts the existing workers. Later ones start when they are created.
func (s *Service) startWorkers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
	for _, w := range s.workers {
		s.workerGroup.Go(func() { w.run(s.ctx) })
	}
}

// poll notifies the workers of senders with ready or due messages.
func (s *Service) poll(ctx context.Context) error {
	if err := s.readPaused(ctx); err != nil {
		return err
	}
	senders, err := s.outbox.Senders(ctx)
	if err != nil {
		return err
	}
	for _, id := range senders {
		s.notifyWorker(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.workers {
		w.signal()
	}
	return nil
}

// drain waits at most Options.Drain for the attempts in flight, and releases this node's senders.
func (s *Service) drain() {
	s.stopping.Store(true)
	s.stop()
	s.workerGroup.Wait()
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
		return // keep the lease until it expires, so that other nodes wait for the messages in flight
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainMargin)
	defer cancel()
	if err := s.outbox.ReleaseLease(ctx); err != nil {
		s.o.Log.Warn("giving up the node's lease", "err", err)
	}
}
