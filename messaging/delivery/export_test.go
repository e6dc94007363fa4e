package delivery

import (
	"time"

	"griot/gateway"
	"griot/messaging/message"
)

// Event is what has happened to a message, and what a decision about it depends on beside, for tests.
type Event struct {
	Kind    string // one of Kinds
	Err     *gateway.Error
	Receipt message.Status
	Of      int // which of its routes a receipt or an answer is about
	Ack     gateway.Ack
	Asked   int

	Now, Until, Fallback time.Time
	Next                 *message.Route
	Deduplicates, Room   bool
	UnknownWait          time.Duration
}

// Decision is what was decided.
type Decision struct {
	After                         *message.Message // nil: nothing changes
	Moved, Again, Retake, KeepRef bool
	Refund                        bool
}

var kinds = map[string]kind{
	"acked": acked, "refused": refused, "prepare failed": prepareFailed, "not called": notCalled, "look again": lookAgain, "never seen": neverSeen, "receipt": receipt,
	"fallback due": fallbackDue, "cancel": cancel, "expired": expired, "day full": dayFull,
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
	news := &event{kind: kinds[e.Kind], routeIndex: e.Of, ack: e.Ack, err: e.Err, status: e.Receipt, at: e.Now, calls: e.Asked, until: e.Until, timeToRepeat: e.Room}
	o := decide(m, news, &facts{now: e.Now, next: e.Next, deduplicates: e.Deduplicates, timeToRepeat: e.Room, unknownWait: e.UnknownWait, fallback: e.Fallback})
	return Decision{
		After: o.message, Moved: o.routeChanged, Again: o.repeatIn > 0, Retake: o.handOver, KeepRef: o.refOnly,
		Refund: o.message != nil && refunds(m, o.message, news),
	}
}
