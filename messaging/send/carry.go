package send

import (
	"context"
	"fmt"
	"time"

	"griot/gateway"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/route"
)

// Codes of errors that are ours and not a gateway's.
const (
	codeUnknown      = "outcome_unknown"
	codeExpired      = "expired"
	codeDisconnected = "gateway_not_connected"
)

// The failures that are ours and not a gateway's.
func unknownFailure() *message.Failure {
	return &message.Failure{Code: codeUnknown, Class: gateway.Unknown}
}

func expiredFailure() *message.Failure {
	return &message.Failure{Code: codeExpired, Class: gateway.Permanent}
}

// carry makes the attempts of a claimed message, by one way after the other, as
// far as they can be made now, and writes down how each ended. It returns the
// message as it is then; one whose outcome is not known yet stays SENDING, one
// that is to be tried later is QUEUED. place is the message's in its line.
func (e *Engine) carry(ctx context.Context, a *account.Account, m *message.Message, place *ticket) *message.Message {
	for {
		leased := e.o.Now().Add(e.lease())
		day := e.warming(a, m)
		held, again, full := e.dayFull(ctx, a, m, day, place, false)
		if !full {
			if until, ok := e.mayGo(ctx, m, place); !ok {
				place.leave("", false)
				return e.park(ctx, m, until)
			}
			held, again, full = e.dayFull(ctx, a, m, day, place, true)
		}
		if full && !again {
			return held
		} else if full {
			m, place = held, place.onward(held)
			continue
		}
		after, again, class := e.try(ctx, a, m, leased, place)
		place.leave(class, true)
		if day != nil && day.taken && class != "" && !class.HandedOver() && m.UnknownAt.IsZero() {
			e.giveDayBack(ctx, m, day)
		}
		if !again {
			return after
		}
		m, place = after, place.onward(after)
	}
}

// mayGo waits for the message's turn; ok is false when it is to be put back until a time.
func (e *Engine) mayGo(ctx context.Context, m *message.Message, place *ticket) (until time.Time, ok bool) {
	g := e.o.Gateways.Get(m.Gateway)
	if g == nil {
		return until, true // the attempt says what is wrong
	}
	if c, ok := g.(gateway.Connector); ok && c.State(m.Channel, m.From) == gateway.Connecting {
		return e.o.Now().Add(connectWait), false
	}
	return place.wait(ctx, m.Gateway, g.Info().Pace)
}

// try makes the attempts on the way that m is on. again: m was put on another way.
// class is how the last attempt failed, if it did. Once the gateway has the message,
// the next in line need not wait until that is written down.
func (e *Engine) try(ctx context.Context, a *account.Account, m *message.Message, leased time.Time, place *ticket) (after *message.Message, again bool, class gateway.Class) {
	g, done := e.o.Gateways.Use(m.Gateway)
	defer done()
	for asked := 1; ; asked++ {
		ack, err := e.attempt(ctx, g, m)
		if err == nil {
			place.leave("", true)
			return e.sent(ctx, a, m, ack), false, ""
		}
		failure := gateway.AsError(err)
		e.o.Log.Debug("attempt failed", "messageId", m.ID, "gateway", m.Gateway, "class", string(failure.Class), "code", failure.Code, "err", failure.Err)
		onward, more, err := e.onward(ctx, a, m, failure)
		if err != nil {
			e.o.Log.Error("looking for another way", "messageId", m.ID, "err", err)
			return m, false, failure.Class // the lease brings it back
		}
		now := e.o.Now()
		v := judge(m, failure, &situation{
			now: now, deduplicates: g != nil && e.repeatable(g, m), more: more, asked: asked, unknownWait: e.o.UnknownWait,
			room: now.Add(repeatAfter + e.o.Attempt).Before(leased.Add(-leaseMargin / 2)),
		})
		if v.do != leave && v.do != requeue && m.UnknownAt.IsZero() {
			m.UnknownAt = now
		}
		switch v.do {
		case ask:
			select {
			case <-time.After(v.after):
			case <-ctx.Done():
			}
			continue
		case wait:
			return e.postpone(ctx, m, now.Add(v.after), message.FailureOf(failure)), false, failure.Class
		case requeue:
			m.Tries++
			return e.requeue(ctx, m, now.Add(v.after), message.FailureOf(failure)), false, failure.Class
		case leave, fallback:
			if more {
				after, again = e.advance(ctx, m, onward, message.Sending, message.FailureOf(failure))
				return after, again, failure.Class
			}
			return e.end(ctx, a, m, message.Failed, message.FailureOf(failure)), false, failure.Class
		case giveUp:
			return e.end(ctx, a, m, message.Failed, unknownFailure()), false, failure.Class
		}
	}
}

// repeatable reports whether a message that may have been handed over can be handed over again: the gateway
// delivers a reference once, and for long enough. It was not handed over before it was accepted, nor before its time.
func (e *Engine) repeatable(g gateway.Sender, m *message.Message) bool {
	first := m.CreatedAt
	if m.ScheduledAt.After(first) {
		first = m.ScheduledAt
	}
	i := g.Info()
	return i.Deduplicates && (i.DeduplicatesFor == 0 || e.o.Now().Add(e.o.Attempt).Before(first.Add(i.DeduplicatesFor)))
}

// attempt calls the gateway once, not beyond the message's life. A driver that panics may have handed the message over.
func (e *Engine) attempt(ctx context.Context, g gateway.Sender, m *message.Message) (ack gateway.Ack, err error) {
	if g == nil {
		return ack, &gateway.Error{Class: gateway.SenderDown, Code: codeDisconnected}
	}
	ctx, cancel := context.WithTimeout(ctx, min(e.attemptTime(m), m.ExpiresAt.Sub(e.o.Now())))
	defer cancel()
	out := m.Outbound()
	if err := e.attach(ctx, g, out); err != nil {
		return ack, err
	}
	m.Calls++
	defer func() {
		if p := recover(); p != nil {
			err = &gateway.Error{Class: gateway.Unknown, Code: "gateway_panic", Err: fmt.Errorf("panic: %v", p)}
			e.o.Gateways.Log(m.Gateway).Error("gateway panicked", "messageId", m.ID)
		}
		e.o.Gateways.Attempted(m.Gateway, m.Channel, m.From, err)
	}()
	e.point("call.before")
	ack, err = g.Send(ctx, out)
	e.point("call.after")
	return ack, err
}

// attemptTime is the most that one attempt may take: a code that comes late is worth nothing.
func (e *Engine) attemptTime(m *message.Message) time.Duration {
	if m.Wish.Quick {
		return min(e.o.Attempt, quickAttempt)
	}
	return e.o.Attempt
}

// onward is the way after the one that m is on, which failed.
func (e *Engine) onward(ctx context.Context, a *account.Account, m *message.Message, f *gateway.Error) (onward, bool, error) {
	if m.RequestedChannel != message.Auto {
		return onward{}, false, nil
	}
	left := m.Way()
	left.Unknown = !m.UnknownAt.IsZero() || (f != nil && f.Class.HandedOver())
	left.Closed = f != nil && f.Class == gateway.Unreachable
	left.Sent = f == nil
	o := onward{left: append(append([]message.Way(nil), m.Left...), left)}
	c, err := e.conditions(ctx, a, m)
	if err != nil {
		return onward{}, false, err
	}
	var more bool
	o.to, more = route.Next(m, o.left, c)
	return o, more, nil
}

// onward is a way to take, and what lies behind then.
type onward struct {
	to   message.Way
	left []message.Way
}
