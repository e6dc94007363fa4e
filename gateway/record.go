package gateway

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"griot/internal/clock"
)

// ErrForeign is what a [Sink] is told of a message to a number that is not on
// the gateway that brought it, and of a receipt for a message that was never
// handed to that gateway. It is dropped: no repetition would make it true.
var ErrForeign = errors.New("gateway: neither its number nor its message")

// reportEvery bounds how often the log tells of what keeps happening.
const reportEvery = time.Minute

// Record is what a process has seen of a gateway since it started.
type Record struct {
	Dropped   int64 // messages and receipts that were not the gateway's to bring
	DroppedAt time.Time

	Failures     int64     // attempts, and connections, that failed for the gateway's sake
	FailingSince time.Time // it does not work, for one of our addresses or for all; zero: it does
	Last         Trouble   // its zero value: there was none
}

// records holds the records by the gateways' names, also of those that were taken out.
type records struct {
	now clock.Now
	log *slog.Logger

	mu sync.Mutex
	by map[string]*record
}

type record struct {
	Record
	droppedTold time.Time    // when the log told of it last
	log         *slog.Logger // nil until it is asked for

	row     map[address]int      // failures in a row that are no outage yet
	failing map[address]string   // the code of the outage that an address is in
	outages map[string]*outage   // by their codes
	toldAt  map[string]time.Time // when the log told of an outage with a code last
}

// Report sets where the set tells of its gateways, before it is used. Without it, it tells nothing.
func (s *Set) Report(log *slog.Logger, now clock.Now) { s.records.log, s.records.now = log, now }

// Record returns what was seen of a gateway.
func (s *Set) Record(name string) Record {
	s.records.mu.Lock()
	defer s.records.mu.Unlock()
	return s.records.of(name).Record
}

// of returns a gateway's record. The caller holds mu.
func (r *records) of(name string) *record {
	one := r.by[name]
	if one == nil {
		one = &record{row: map[address]int{}, failing: map[address]string{}, outages: map[string]*outage{}, toldAt: map[string]time.Time{}}
		r.by[name] = one
	}
	return one
}

// Dropped counts something that a gateway brought and that was not its own to
// bring. news is true once a minute: then it is logged, and worth an audit event.
func (s *Set) Dropped(name, code string) (news bool) {
	r := &s.records
	now := r.now()
	r.mu.Lock()
	one := r.of(name)
	one.Dropped++
	one.DroppedAt = now
	if news = one.droppedTold.IsZero() || now.Sub(one.droppedTold).Abs() >= reportEvery; news {
		one.droppedTold = now
	}
	dropped := one.Dropped
	r.mu.Unlock()
	if news {
		r.log.Warn("a gateway brought what is not its own; it is dropped", "gateway", name, "code", code, "droppedSoFar", dropped)
	}
	return news
}

// Sink returns the sink of one of the set's gateways: it writes the gateway's name
// on what comes in, whatever the driver wrote there.
func (s *Set) Sink(name string, to Sink) Sink { return &entrance{name, to} }

type entrance struct {
	name string
	to   Sink
}

// Inbound implements [Sink].
func (e *entrance) Inbound(ctx context.Context, in Inbound) error {
	in.Gateway = e.name
	return e.to.Inbound(ctx, in)
}

// Receipt implements [Sink].
func (e *entrance) Receipt(ctx context.Context, r Receipt) error {
	r.Gateway = e.name
	return e.to.Receipt(ctx, r)
}
