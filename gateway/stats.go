package gateway

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/metrics"
)

// ErrForeign is what a [Sink] returns for a message to a number that is not on
// the gateway that received it, and for a receipt of a message that was never
// handed to that gateway. It is dropped, since a repetition would change nothing.
var ErrForeign = errors.New("gateway: neither the number nor the message is this gateway's")

// logInterval is how often the log repeats what keeps happening.
const logInterval = time.Minute

// Stats are what a process has counted of a gateway since it started.
type Stats struct {
	Dropped   int64 // messages and receipts that were not this gateway's ([ErrForeign])
	DroppedAt time.Time

	Failures     int64     // of attempts and of the connection, where the gateway is the cause
	FailingSince time.Time // start of the oldest outage of one of our addresses; zero: there is none
	LastFailure  Failure   // zero: there was none

	Tested TestState // by the last test, message, or connection, since it was opened
}

// TestState is whether a gateway was reached.
type TestState string

// The states; empty: nobody has tried.
const (
	TestPassed TestState = "passed" // it took a message, its connection works, or its test passed
	TestFailed TestState = "failed" // its test failed
)

// RecordTest records whether a gateway was reached.
func (s *Set) RecordTest(name string, state TestState) {
	s.monitor.mu.Lock()
	defer s.monitor.mu.Unlock()
	s.monitor.of(name).Tested = state
}

// monitor holds the gateways' stats by name, also of those that were removed.
type monitor struct {
	now     clock.Now
	log     *slog.Logger
	metrics *metrics.Gateways // nil: nobody counts

	mu     sync.Mutex
	byName map[string]*gatewayStats
}

type gatewayStats struct {
	Stats
	metrics         *metrics.Gateway
	log             *slog.Logger // nil until [Set.Log]
	droppedLoggedAt time.Time

	consecutive    map[address]int      // failures that are no outage yet
	failing        map[address]string   // the code of the outage that an address is in
	outages        map[string]*outage   // by code
	outageLoggedAt map[string]time.Time // by code
}

// LogTo sets where the set logs its gateways' outages and drops, before the set is used. Without it nothing is logged.
func (s *Set) LogTo(log *slog.Logger, now clock.Now) { s.monitor.log, s.monitor.now = log, now }

// CountBy sets what counts the set's gateways, before the set is used. Without it nobody does.
func (s *Set) CountBy(m *metrics.Gateways) { s.monitor.metrics = m }

// Outages returns how many of our addresses can't send by a gateway because of it, by the code of the error.
func (s *Set) Outages(name string) map[string]int {
	s.monitor.mu.Lock()
	defer s.monitor.mu.Unlock()
	out := map[string]int{}
	for _, code := range s.monitor.of(name).failing {
		out[code]++
	}
	return out
}

func classNames() (all []string) {
	for _, c := range Classes() {
		all = append(all, string(c))
	}
	return all
}

func receiptStatuses() (all []string) {
	for _, s := range []ReceiptStatus{ReceiptSent, ReceiptDelivered, ReceiptRead, ReceiptFailed} {
		all = append(all, string(s))
	}
	return all
}

// counters returns the counters of a gateway.
func (s *Set) counters(name string) *metrics.Gateway {
	s.monitor.mu.Lock()
	defer s.monitor.mu.Unlock()
	return s.monitor.of(name).metrics
}

// Stats returns the stats of a gateway.
func (s *Set) Stats(name string) Stats {
	s.monitor.mu.Lock()
	defer s.monitor.mu.Unlock()
	return s.monitor.of(name).Stats
}

// of returns a gateway's stats. The caller holds mu.
func (m *monitor) of(name string) *gatewayStats {
	g := m.byName[name]
	if g == nil {
		g = &gatewayStats{metrics: m.metrics.Gateway(name, classNames(), receiptStatuses()), consecutive: map[address]int{}, failing: map[address]string{}, outages: map[string]*outage{}, outageLoggedAt: map[string]time.Time{}}
		m.byName[name] = g
	}
	return g
}

// RecordDropped counts a message or receipt that was dropped as [ErrForeign]. logged is
// true at most once a minute: then it was logged, and is worth an audit event.
func (s *Set) RecordDropped(name, code string) (logged bool) {
	m := &s.monitor
	now := m.now()
	m.mu.Lock()
	g := m.of(name)
	g.Dropped++
	g.DroppedAt = now
	g.metrics.Dropped()
	if logged = g.droppedLoggedAt.IsZero() || now.Sub(g.droppedLoggedAt).Abs() >= logInterval; logged {
		g.droppedLoggedAt = now
	}
	dropped := g.Dropped
	m.mu.Unlock()
	if logged {
		m.log.Warn("dropped a message or receipt that is not the gateway's", "gateway", name, "code", code, "droppedSoFar", dropped)
	}
	return logged
}

// RecordUnreadableReceipt counts a receipt whose message or status a driver could not read. The driver logs it.
func (s *Set) RecordUnreadableReceipt(name string) { s.counters(name).UnreadableReceipt() }

// Sink returns the sink of one of the set's gateways. It sets the Gateway of
// everything that comes in, whatever the driver wrote there.
func (s *Set) Sink(name string, to Sink) Sink { return &namedSink{s, name, to} }

type namedSink struct {
	set  *Set
	name string
	to   Sink
}

// Inbound implements [Sink].
func (s *namedSink) Inbound(ctx context.Context, in Inbound) error {
	in.Gateway = s.name
	err := s.to.Inbound(ctx, in)
	if err == nil {
		s.set.counters(s.name).Inbound()
	}
	return err
}

// Receipt implements [Sink].
func (s *namedSink) Receipt(ctx context.Context, r Receipt) error {
	r.Gateway = s.name
	err := s.to.Receipt(ctx, r)
	if err == nil {
		s.set.counters(s.name).Receipt(string(r.Status))
	}
	return err
}
