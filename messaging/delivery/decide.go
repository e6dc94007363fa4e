package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/route"
)

// decide is the only function that chooses the next status of a stored message. It is a pure function. This file
// handles the events of calls, and decide_without_call.go handles the others. ARCHITECTURE.md contains the table.
func decide(m *message.Message, e *event, f *facts) outcome {
	d := &decision{before: m, e: e, f: f}
	after := *m
	d.m = &after
	switch e.kind {
	case acked:
		return d.acked()
	case refused:
		return d.refused()
	case prepareFailed:
		return d.notTaken()
	case notCalled:
		return d.notCalled()
	case lookAgain:
		return d.lookAgain()
	case neverSeen:
		return d.neverSeen()
	case receipt:
		return d.receipt()
	case fallbackDue:
		return d.fallbackDue()
	case cancel:
		return d.cancel()
	case expired:
		return d.expired()
	case dayFull:
		return d.dayFull()
	case erase:
		return d.erase()
	case optedOut:
		return d.optedOut()
	case senderRemoved:
		return d.senderRemoved()
	case restored:
		return d.restored()
	}
	return outcome{}
}

// A decision is the state of one call of decide. m is changed to the new state of the message.
type decision struct {
	before, m *message.Message
	e         *event
	f         *facts
}

// Codes of failures that no gateway has reported.
const (
	codeDisconnected = "gateway_not_connected"
	codeWarmingUp    = "sender_warming_up"
)

func unknownFailure() *message.Failure {
	return &message.Failure{Code: message.CodeOutcomeUnknown, Class: gateway.Unknown}
}

func expiredFailure() *message.Failure {
	return &message.Failure{Code: message.CodeExpired, Class: gateway.Permanent}
}

const (
	maxRepeats        = 2 // maximum number of immediate repetitions after an unknown outcome, if that is safe
	repeatDelay       = 200 * time.Millisecond
	unknownDelayFirst = time.Second // doubled for each further call
	unknownDelayMax   = time.Minute
	retryJitter       = 0.2 // of a retry's delay, in both directions
)

// waiting reports whether a message waits for its turn or its time.
func waiting(m *message.Message) bool {
	return m.Status == message.Queued || m.Status == message.Scheduled
}

func (d *decision) step(s message.Status, f *message.Failure, note message.Note) message.Step {
	return message.Step{At: db.Ms(d.f.now), Status: s, Channel: d.before.Channel, Sender: d.before.SenderID, Failure: f, Note: note}
}

// withStep returns the outcome with one step of the timeline.
func (d *decision) withStep(step message.Step) outcome {
	return outcome{message: d.m, steps: []message.Step{step}}
}

func (d *decision) acked() outcome {
	m, now := d.m, d.f.now
	if m.RouteIndex != d.e.routeIndex {
		return outcome{}
	}
	if m.Status != message.Sending && (m.Status != message.Queued || m.Calls == 0) { // a receipt was faster, or the message has expired
		if m.ProviderID != "" || d.e.ack.ProviderID == "" || m.Calls == 0 || m.Erased() {
			return outcome{}
		}
		m.ProviderID = d.e.ack.ProviderID
		return outcome{message: m, detailOnly: true}
	}
	m.Status, m.SentAt, m.ProviderID, m.Failure, m.DueAt = message.Sent, now, d.e.ack.ProviderID, nil, d.f.fallback
	note := message.Note{}
	if d.e.ack.Form != "" {
		note = message.Note{Kind: message.NoteForm, Text: d.e.ack.Form}
	}
	o := d.withStep(d.step(message.Sent, nil, note))
	o.notify = true
	return o
}

func (d *decision) refused() outcome {
	m, err := d.m, d.e.err
	if m.Status != message.Sending || m.RouteIndex != d.e.routeIndex {
		return outcome{}
	}
	permanent := err.Class == gateway.Permanent || err.Class == gateway.Unreachable
	if !err.Class.HandedOver() && (m.UnknownAt.IsZero() || permanent) {
		return d.notTaken()
	}
	// This call or an earlier one might have submitted it.
	if m.UnknownAt.IsZero() {
		m.UnknownAt = d.f.now
	}
	failure := message.FailureOf(err)
	switch {
	case m.Options.Quick && d.f.next != nil: // a second copy of a code does no harm, but a late one does
		return d.toNextRoute(failure)
	case !d.f.now.Before(m.ExpiresAt):
		return d.fail(unknownFailure())
	case !d.f.deduplicates:
		return d.unknown(d.f.unknownWait, failure)
	case err.Class.HandedOver() && d.e.calls <= maxRepeats && d.f.timeToRepeat:
		return outcome{repeatIn: repeatDelay}
	}
	return d.unknown(unknownDelay(m), failure)
}

// unknownDelay returns the delay before a gateway that deduplicates is called again. It doubles with each call.
func unknownDelay(m *message.Message) time.Duration {
	return min(unknownDelayFirst<<min(max(m.Calls-1, 0), 10), unknownDelayMax)
}

// notTaken decides after an attempt in which nothing was submitted.
func (d *decision) notTaken() outcome {
	m, err := d.m, d.e.err
	if !m.Status.Open() {
		return outcome{}
	}
	failure := message.FailureOf(err)
	if d.e.kind == prepareFailed && !m.UnknownAt.IsZero() { // an earlier call might have submitted it
		if !d.f.now.Before(m.ExpiresAt) {
			return d.fail(unknownFailure())
		}
		return d.unknown(unknownDelay(m), failure)
	}
	m.Tries++
	if err.Class == gateway.Permanent || err.Class == gateway.Unreachable || m.Tries >= m.Options.Retry.Max {
		return d.toNextRoute(failure)
	}
	after := max(d.retryDelay(), err.RetryAfter)
	if !d.f.now.Add(after).Before(m.ExpiresAt) {
		return d.toNextRoute(failure)
	}
	m.Status, m.DueAt = message.Queued, d.f.now.Add(after)
	return d.withStep(d.step(message.Queued, failure, message.Note{Kind: message.NoteRetry}))
}

// retryDelay returns the requested delay, doubled for each previous failed attempt, with jitter.
func (d *decision) retryDelay() time.Duration {
	delay := min(time.Duration(d.m.Options.Retry.Delay)*time.Millisecond<<min(d.m.Tries-1, 16), message.MaxRetryDelay)
	return delay + time.Duration(d.f.jitter*retryJitter*float64(delay))
}

// unknown keeps a message with an unknown outcome SENDING, and schedules its next check after wait.
func (d *decision) unknown(wait time.Duration, failure *message.Failure) outcome {
	m := d.m
	m.Status, m.DueAt = message.Sending, d.f.now.Add(wait)
	if m.DueAt.After(m.ExpiresAt) {
		m.DueAt = m.ExpiresAt
	}
	return d.withStep(d.step(message.Sending, failure, message.Note{Kind: message.NoteUnknown}))
}

// triedRoute returns the message's current route as a tried one, with the known data about the attempt.
func triedRoute(m *message.Message, e *event) message.Route {
	r := m.Route()
	r.Sent = e.kind == fallbackDue
	r.Unknown = !m.UnknownAt.IsZero() || e.kind == receipt || (e.err != nil && e.err.Class.HandedOver())
	r.Closed = e.err != nil && e.err.Class == gateway.Unreachable
	return r
}

// toNextRoute moves the message to its next route, where it waits for its turn. Without a next route, the message fails.
func (d *decision) toNextRoute(failure *message.Failure) outcome {
	m, to := d.m, d.f.next
	if to == nil {
		return d.fail(failure)
	}
	step := d.step(message.Failed, failure, message.Note{Kind: message.NoteLeft, To: to.Channel})
	if d.e.kind == fallbackDue {
		step = d.step(message.Sent, failure, message.Note{Kind: message.NoteLate, To: to.Channel})
	}
	m.Tried = append(append([]message.Route(nil), m.Tried...), triedRoute(m, d.e))
	m.SetRoute(*to)
	m.RouteIndex++
	m.Status, m.Tries, m.UnknownAt, m.ProviderID, m.Failure, m.DueAt = message.Queued, 0, time.Time{}, "", nil, time.Time{}
	o := d.withStep(step)
	o.routeChanged = true
	return o
}

// fail ends a message that has no other route. A message that an earlier route has submitted stays SENT on that route.
func (d *decision) fail(failure *message.Failure) outcome { return d.end(message.Failed, failure) }

func (d *decision) end(as message.Status, failure *message.Failure) outcome {
	m := d.m
	for _, w := range m.Tried {
		if w.Sent {
			return d.staySent(w, failure)
		}
	}
	m.Status, m.Failure, m.FailedAt, m.DueAt = as, failure, d.f.now, time.Time{}
	o := d.withStep(d.step(as, failure, message.Note{}))
	o.notify = true
	return o
}

// staySent moves a message without another route back to the route that has submitted it.
func (d *decision) staySent(w message.Route, failure *message.Failure) outcome {
	m := d.m
	moved := w.SenderID != m.SenderID || w.Channel != m.Channel
	m.SetRoute(w)
	m.Status, m.DueAt, m.Failure = message.Sent, time.Time{}, nil
	o := d.withStep(d.step(message.Sent, failure, message.Note{Kind: message.NoteStays, To: w.Channel}))
	o.routeChanged = moved
	return o
}

// notCalled resets a message that was marked as SENDING, but whose gateway was not called.
func (d *decision) notCalled() outcome {
	m := d.m
	if m.Status != message.Sending {
		return outcome{}
	}
	m.Calls = max(m.Calls-1, 0)
	if !m.UnknownAt.IsZero() { // an earlier call might have submitted it, so the message is checked again
		m.DueAt = d.f.now
		return outcome{message: m}
	}
	m.Status, m.DueAt = message.Queued, time.Time{}
	return outcome{message: m}
}

func (d *decision) lookAgain() outcome {
	m, now := d.m, d.f.now
	if m.Status != message.Sending {
		return outcome{}
	}
	first := m.UnknownAt.IsZero()
	if first || m.UnknownAt.After(now) { // after: the clock was set back
		m.UnknownAt = now
	}
	ends := m.UnknownAt.Add(d.f.unknownWait)
	again := d.f.deduplicates && !d.f.suspended
	switch {
	case !now.Before(m.ExpiresAt):
		return d.fail(unknownFailure())
	case m.Options.Quick && d.f.next != nil:
		return d.toNextRoute(unknownFailure())
	case again && first: // UnknownAt is stored first, because the next call's result says little about the previous one
		m.DueAt = now
		return outcome{message: m, handOver: true}
	case again:
		return outcome{handOver: true}
	case d.f.deduplicates && first: // the gateway is called again after the suspension, when the message is due before those behind it
		return d.unknown(0, unknownFailure())
	case d.f.deduplicates:
		m.DueAt = m.UnknownAt // until the account is resumed, such a message isn't read as due: see [outbox.Store.Due]
		return outcome{message: m}
	case first:
		return d.unknown(d.f.unknownWait, unknownFailure())
	case now.Before(ends): // it was checked early, or the waiting time was extended, so nothing new is known
		m.DueAt = ends
		if ends.After(m.ExpiresAt) {
			m.DueAt = m.ExpiresAt
		}
		return outcome{message: m}
	}
	return d.fail(unknownFailure())
}

func (d *decision) neverSeen() outcome {
	m := d.m
	if m.Status != message.Sending {
		return outcome{}
	}
	m.Status, m.UnknownAt, m.DueAt = message.Queued, time.Time{}, time.Time{}
	return d.withStep(d.step(message.Queued, nil, message.Note{Kind: message.NoteUnseen}))
}

// nextRoute returns the route after the current one of a message when an event happens, or nil if there is none.
func nextRoute(m *message.Message, e *event, c *route.Conditions) *message.Route {
	r, more := route.Next(m, append(append([]message.Route(nil), m.Tried...), triedRoute(m, e)), c)
	if !more {
		return nil
	}
	return &r
}
