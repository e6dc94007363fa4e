package delivery

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
)

// An Event is an event of a message with the other inputs of a decision, for tests.
type Event struct {
	Kind    string // one of Kinds
	Err     *gateway.Error
	Receipt message.Status
	Of      int // the route of a receipt or a response
	Ack     gateway.Ack
	Calls   int

	Now, Until, Fallback time.Time
	Next                 *message.Route
	Deduplicates, Room   bool
	Reroute, Suspended   bool
	UnknownWait          time.Duration
}

// Step makes the workers of a service read the outbox and the clock, like a poll. It returns the number of messages
// that they then hold and that do not wait, because they are being submitted or decided.
func Step(ctx context.Context, s *Service) (busy int, err error) {
	if err := s.poll(ctx); err != nil {
		return 0, err
	}
	s.mu.Lock()
	workers := slices.Collect(maps.Values(s.workers))
	s.mu.Unlock()
	for _, w := range workers {
		for read := false; !read; runtime.Gosched() { // the worker itself might be reading
			if err := w.read(ctx); err != nil {
				return 0, err
			}
			w.mu.Lock()
			read = !w.reading && !w.mayHaveDue && w.allRead
			w.mu.Unlock()
		}
		w.startReady()
		w.mu.Lock()
		busy += len(w.held) - len(w.codes) - len(w.delayed)
		for _, l := range w.lines {
			busy -= len(l.waiting)
		}
		w.mu.Unlock()
	}
	return busy, nil
}

// CountsBacklog reports whether a service is counting the rows of its backlog.
func CountsBacklog(s *Service) bool {
	s.backlog.mu.Lock()
	defer s.backlog.mu.Unlock()
	return s.backlog.counting
}

// A Decision is the result of a decision.
type Decision struct {
	After                         *message.Message // nil: nothing changes
	Moved, Again, Retake, KeepRef bool
	Refund                        bool
	Note                          string // the sentence of the new step
}

var kinds = map[string]kind{
	"acked": acked, "refused": refused, "prepare failed": prepareFailed, "not called": notCalled, "look again": lookAgain, "never seen": neverSeen, "receipt": receipt,
	"fallback due": fallbackDue, "cancel": cancel, "expired": expired, "day full": dayFull, "erase": erase, "opted out": optedOut, "sender removed": senderRemoved, "restored": restored,
}

// Kinds lists the kinds of events.
func Kinds() []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	return names
}

// Decide decides about a message.
func Decide(m *message.Message, e *Event) Decision {
	news := &event{kind: kinds[e.Kind], routeIndex: e.Of, ack: e.Ack, err: e.Err, status: e.Receipt, at: e.Now, calls: e.Calls, until: e.Until, timeToRepeat: e.Room, reroute: e.Reroute}
	o := decide(m, news, &facts{now: e.Now, next: e.Next, deduplicates: e.Deduplicates, suspended: e.Suspended, timeToRepeat: e.Room, unknownWait: e.UnknownWait, fallback: e.Fallback})
	out := Decision{
		After: o.message, Moved: o.routeChanged, Again: o.repeatIn > 0, Retake: o.handOver, KeepRef: o.detailOnly,
		Refund: o.message != nil && refunds(m, o.message, news),
	}
	for _, s := range o.steps {
		out.Note += s.Sentence()
	}
	return out
}

// ReadPaused makes the worker of a paused sender read its due messages, and returns the time of its last read. The
// zero time means never, or that one of them was in flight.
func ReadPaused(s *Service, senderID string) time.Time {
	s.notifyWorker(senderID)
	s.mu.Lock()
	w := s.workers[senderID]
	s.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pausedReadAt
}

// DropDuringRead makes a sender's worker give up what waits, as for a suspension, while a read of it is in progress.
// end ends this read.
func DropDuringRead(s *Service, senderID string) (end func()) {
	w := s.worker(senderID)
	w.mu.Lock()
	w.reads++
	w.mu.Unlock()
	w.dropWaiting()
	return w.endRead
}

// HoldDueRead makes a sender's worker behave as during a read of due messages by another goroutine, until end is called.
func HoldDueRead(s *Service, senderID string) (end func()) {
	w := s.worker(senderID)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dueReads++
	return w.endDueRead
}

// Held returns the number of messages that a sender's worker holds.
func Held(s *Service, senderID string) int {
	w := s.worker(senderID)
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.held)
}

// Lapse ends the lease of a single node, as renewals that are late do, and Regain renews it.
func Lapse(s *Service) {
	s.lease.alone.Store(false)
	s.lease.until.Store(&clockReading{})
}

// Regain renews the lease after [Lapse].
func Regain(s *Service) { s.lease.alone.Store(true) }

// The steps of a worker's loop, and of a poll.
func Read(ctx context.Context, s *Service, senderID string) error {
	return s.worker(senderID).read(ctx)
}
func StartReady(s *Service, senderID string)           { s.worker(senderID).startReady() }
func ReadPauses(ctx context.Context, s *Service) error { return s.readPaused(ctx) }

// Remembered returns the bytes of the memory of recent messages.
func Remembered(s *Service) int { return s.outbox.Remembered() }
