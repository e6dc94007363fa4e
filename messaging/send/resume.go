package send

import (
	"context"
	"time"

	"griot/gateway"
	"griot/messaging/account"
	"griot/messaging/message"
)

// resume goes on with a message that Run has claimed. place is its own in the line of its sender and recipient.
func (e *Engine) resume(ctx context.Context, m *message.Message, place *ticket) {
	a, err := e.o.Directory.Account(ctx, m.AccountID)
	if err != nil || a == nil {
		e.o.Log.Error("account of a due message", "messageId", m.ID, "err", err)
		return // its lease brings it back
	}
	if err := e.reveal(m); err != nil {
		e.o.Log.Error("opening a sensitive message", "messageId", m.ID, "err", err)
		return // with another master key nothing can be done; its lease brings it back until it expires
	}
	switch {
	case m.ClaimedFrom == message.Sent:
		e.fallBack(ctx, a, m, place)
	case m.ClaimedFrom == message.Sending:
		e.rescue(ctx, a, m, place)
	case !e.o.Now().Before(m.ExpiresAt):
		e.end(ctx, a, m, message.Expired, expiredFailure())
	default: // nobody has handed it over
		e.carry(ctx, a, m, place)
	}
}

// fallBack puts a message on its next way that did not arrive in time by this one.
func (e *Engine) fallBack(ctx context.Context, a *account.Account, m *message.Message, place *ticket) {
	o, more, err := e.onward(ctx, a, m, nil)
	switch {
	case err != nil:
		e.o.Log.Error("looking for another way", "messageId", m.ID, "err", err) // its lease brings it back
	case !more || !e.o.Now().Before(m.ExpiresAt):
		e.settle(ctx, m, m.Way(), nil)
	default:
		if moved, ok := e.advance(ctx, m, o, message.Sent, nil); ok {
			place.leave("", false)
			e.carry(ctx, a, moved, place.onward(moved))
		}
	}
}

// rescue decides about a message that may have been handed over: its worker is
// gone, or its gateway did not say.
func (e *Engine) rescue(ctx context.Context, a *account.Account, m *message.Message, place *ticket) {
	now := e.o.Now()
	firstSeen := m.UnknownAt.IsZero()
	if firstSeen || m.UnknownAt.After(now) { // after: the clock went back
		m.UnknownAt = now
	}
	g := e.o.Gateways.Get(m.Gateway)
	switch {
	case !now.Before(m.ExpiresAt):
		e.end(ctx, a, m, message.Failed, unknownFailure())
	case g != nil && e.repeatable(g, m):
		e.carry(ctx, a, m, place)
	case e.neverSeen(ctx, m):
		m.UnknownAt = time.Time{}
		e.carry(ctx, a, m, place)
	case firstSeen:
		e.postpone(ctx, m, now.Add(e.o.UnknownWait), unknownFailure())
	case now.Before(m.UnknownAt.Add(e.o.UnknownWait)): // claimed early, or the waiting time was lengthened
		e.postpone(ctx, m, m.UnknownAt.Add(e.o.UnknownWait), unknownFailure())
	default:
		e.end(ctx, a, m, message.Failed, unknownFailure())
	}
}

// neverSeen asks a gateway that can be asked whether it knows the message's reference.
func (e *Engine) neverSeen(ctx context.Context, m *message.Message) bool {
	g, done := e.o.Gateways.Use(m.Gateway)
	defer done()
	q, ok := g.(gateway.Querier)
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, e.o.Attempt)
	defer cancel()
	seen, _, err := q.Query(ctx, m.Ref())
	return err == nil && !seen
}
