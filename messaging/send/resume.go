package send

import (
	"context"
	"time"

	"griot/gateway"
	"griot/messaging/account"
	"griot/messaging/message"
)

// resume goes on with a message that Run has claimed.
func (e *Engine) resume(ctx context.Context, m *message.Message) {
	a, err := e.o.Directory.Account(ctx, m.AccountID)
	if err != nil || a == nil {
		e.o.Log.Error("account of a due message", "messageId", m.ID, "err", err)
		return // its lease brings it back
	}
	if err := e.reveal(m); err != nil {
		e.o.Log.Error("opening a sensitive message", "messageId", m.ID, "err", err)
		return // with another master key nothing can be done; its lease brings it back until it expires
	}
	now := e.o.Now()
	if m.ClaimedFrom != message.Sending { // nobody has handed it over
		if !now.Before(m.ExpiresAt) {
			e.fail(ctx, a, m, message.Expired, expiredFailure())
			return
		}
		e.carry(ctx, a, m)
		return
	}
	e.rescue(ctx, a, m)
}

// rescue decides about a message that may have been handed over: its worker is
// gone, or its gateway did not say.
func (e *Engine) rescue(ctx context.Context, a *account.Account, m *message.Message) {
	now := e.o.Now()
	firstSeen := m.UnknownAt.IsZero()
	if firstSeen {
		m.UnknownAt = now
	}
	g := e.o.Gateways[m.Gateway]
	switch {
	case !now.Before(m.ExpiresAt):
		e.fail(ctx, a, m, message.Failed, unknownFailure())
	case g != nil && e.repeatable(g, m):
		e.carry(ctx, a, m)
	case e.neverSeen(ctx, g, m):
		m.UnknownAt = time.Time{}
		e.carry(ctx, a, m)
	case firstSeen:
		e.postpone(ctx, m, now.Add(e.o.UnknownWait), unknownFailure())
	case now.Before(m.UnknownAt.Add(e.o.UnknownWait)): // claimed early, or the waiting time was lengthened
		e.postpone(ctx, m, m.UnknownAt.Add(e.o.UnknownWait), unknownFailure())
	default:
		e.fail(ctx, a, m, message.Failed, unknownFailure())
	}
}

// neverSeen asks a gateway that can be asked whether it knows the message's reference.
func (e *Engine) neverSeen(ctx context.Context, g gateway.Sender, m *message.Message) bool {
	q, ok := g.(gateway.Querier)
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, e.o.Attempt)
	defer cancel()
	seen, _, err := q.Query(ctx, m.ID)
	return err == nil && !seen
}
