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

// Event is what has happened to a message, and what a decision about it depends on beside, for tests.
type Event struct {
	Kind    string // one of Kinds
	Err     *gateway.Error
	Receipt message.Status
	Of      int // which of its routes a receipt or an answer is about
	Ack     gateway.Ack
	Calls   int

	Now, Until, Fallback time.Time
	Next                 *message.Route
	Deduplicates, Room   bool
	Reroute, Suspended   bool
	UnknownWait          time.Duration
}

// Step lets the workers of a service read the outbox and look at the clock, as a poll does. It returns how many messages
// they hold then that don't wait: these are being handed over, or decided about.
func Step(ctx context.Context, s *Service) (busy int, err error) {
	if err := s.poll(ctx); err != nil {
		return 0, err
	}
	s.mu.Lock()
	workers := slices.Collect(maps.Values(s.workers))
	s.mu.Unlock()
	for _, w := range workers {
		for read := false; !read; runtime.Gosched() { // the worker itself may be reading
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

// Decision is what was decided.
type Decision struct {
	After                         *message.Message // nil: nothing changes
	Moved, Again, Retake, KeepRef bool
	Refund                        bool
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
	return Decision{
		After: o.message, Moved: o.routeChanged, Again: o.repeatIn > 0, Retake: o.handOver, KeepRef: o.refOnly,
		Refund: o.message != nil && refunds(m, o.message, news),
	}
}

// ReadPaused lets the worker of a paused sender read its due messages, and returns when it last did so; zero: never, or one of
// them was in flight.
func ReadPaused(s *Service, senderID string) time.Time {
	s.notifyWorker(senderID)
	s.mu.Lock()
	w := s.workers[senderID]
	s.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pausedReadAt
}
