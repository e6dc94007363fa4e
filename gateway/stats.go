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

// ErrForeign is returned by a [Sink] for a message to a number that is not on the gateway that received it, and for a
// receipt of a message that was never submitted to that gateway. The driver drops it, because repeating it would
// change nothing.
var ErrForeign = errors.New("gateway: neither the number nor the message is this gateway's")

// logInterval is the interval at which the log repeats a continuing problem.
const logInterval = time.Minute

// Stats contains the counters of a gateway since the process started.
type Stats struct {
	Dropped   int64 // messages and receipts that did not belong to this gateway ([ErrForeign])
	DroppedAt time.Time

	Failures     int64     // of attempts and of the connection, if the gateway is the cause
	FailingSince time.Time // start of the oldest outage of one of our addresses; zero: none
	LastFailure  Failure   // zero: none

	Tested TestState // by the last test, message, or connection, since the gateway was opened
}

// TestState is the result of the last attempt to reach a gateway.
type TestState string

// The test states. The zero value means that no one has tried.
const (
	TestPassed TestState = "passed" // it accepted a message, its connection works, or its test passed
	TestFailed TestState = "failed" // its test failed
)

// RecordTest records whether a gateway was reached.
func (s *Set) RecordTest(name string, state TestState) {
	s.monitor.mu.Lock()
	defer s.monitor.mu.Unlock()
	s.monitor.of(name).Tested = state
}

// monitor contains the gateways' stats by name, including those of removed gateways.
type monitor struct {
	now     clock.Now
	log     *slog.Logger
	metrics *metrics.Gateways // nil: no metrics

	mu     sync.Mutex
	byName map[string]*gatewayStats
}

type gatewayStats struct {
	Stats
	metrics         *metrics.Gateway
	log             *slog.Logger // nil until [Set.Log]
	droppedLoggedAt time.Time
	localLoggedAt   time.Time

	consecutive    map[address]int      // failures that are not an outage yet
	failing        map[address]string   // the code of an address's outage
	outages        map[string]*outage   // by code
	outageLoggedAt map[string]time.Time // by code
}

// LogTo sets the logger for outages and dropped events. Call it before the set is used. Without it, nothing is logged.
func (s *Set) LogTo(log *slog.Logger, now clock.Now) { s.monitor.log, s.monitor.now = log, now }

// CountBy sets the metrics of the set's gateways. Call it before the set is used. Without it, there are no metrics.
func (s *Set) CountBy(m *metrics.Gateways) { s.monitor.metrics = m }

// Outages returns the number of our addresses that cannot send because of a gateway, by error code.
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

func changeKinds() (all []string) {
	for _, k := range []ChangeKind{NumberChanged, IDChanged, PairKnown, MessageEdited, MessageDeleted, MessageUnreadable, MarketingStopped, MarketingResumed, MessageSent} {
		all = append(all, string(k))
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
		g = &gatewayStats{metrics: m.metrics.Gateway(name, classNames(), receiptStatuses(), changeKinds(), Unhandled(), localKinds()), consecutive: map[address]int{}, failing: map[address]string{}, outages: map[string]*outage{}, outageLoggedAt: map[string]time.Time{}}
		m.byName[name] = g
	}
	return g
}

// RecordDropped counts a message or receipt that was dropped as [ErrForeign]. logged is true at most once a minute.
// In that case, the drop was logged and the caller should record an audit event.
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

// RecordUnhandled counts a report of a provider that a driver dropped, with its reason. The driver logs it.
func (s *Set) RecordUnhandled(name, reason string) { s.counters(name).Unhandled(reason) }

// Sink returns the sink of one of the set's gateways. It overwrites the Gateway field of all inbound messages, receipts,
// and changes. It sets the fields that drivers can leave empty: the portfolio of an ID, and the source of a number.
func (s *Set) Sink(name string, to Sink) Sink { return &namedSink{s, name, to} }

type namedSink struct {
	set  *Set
	name string
	to   Sink
}

// Inbound implements [Sink].
func (s *namedSink) Inbound(ctx context.Context, in Inbound) error {
	in.Gateway = s.name
	s.complete(&in.Person)
	if in.From != "" && in.Source == "" {
		in.Source = NumberShown
	}
	err := s.to.Inbound(ctx, in)
	if err == nil {
		s.set.counters(s.name).Inbound()
	}
	if err == nil && in.Local != "" {
		s.set.recordLocal(s.name, localKind(in.Local))
	}
	return err
}

// recordLocal counts a message of a local sender. It logs numbers, at most once a minute, because a setting can complete
// them.
func (s *Set) recordLocal(name, kind string) {
	m := &s.monitor
	now := m.now()
	m.mu.Lock()
	g := m.of(name)
	g.metrics.Local(kind)
	logged := kind == LocalNumber && (g.localLoggedAt.IsZero() || now.Sub(g.localLoggedAt).Abs() >= logInterval)
	if logged {
		g.localLoggedAt = now
	}
	m.mu.Unlock()
	if logged {
		m.log.Warn("an SMS was stored with a sender that isn't an international number, so it can't opt anyone out: set country_code of the gateway", "gateway", name)
	}
}

// Receipt implements [Sink].
func (s *namedSink) Receipt(ctx context.Context, r Receipt) error {
	r.Gateway = s.name
	s.complete(&r.Person)
	err := s.to.Receipt(ctx, r)
	if err == nil {
		s.set.counters(s.name).Receipt(string(r.Status))
	}
	return err
}

// Change implements [Sink].
func (s *namedSink) Change(ctx context.Context, c Change) error {
	c.Gateway = s.name
	s.complete(&c.Person)
	err := s.to.Change(ctx, c)
	if err == nil {
		s.set.counters(s.name).Change(string(c.Kind))
	}
	return err
}

// complete sets the portfolio of an ID if the driver hasn't.
func (s *namedSink) complete(p *PersonID) {
	if p.Portfolio == "" {
		p.Portfolio = "gateway:" + s.name
	}
}
