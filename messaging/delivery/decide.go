package delivery

import (
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/message"
	"griot/messaging/outbox"
	"griot/messaging/route"
)

// kind is what has happened to a message.
type kind int

const (
	acked       kind = iota // the gateway has taken it
	refused                 // the gateway said no, or nobody knows what it said: event.err
	hindered                // it could not be handed over at all: event.err; no gateway was called
	notCalled               // it was marked as being handed over, and no gateway was called
	lookAgain               // it is SENDING, and nobody on this node is handing it over
	neverSeen               // its gateway was asked and does not know it
	receipt                 // a delivery report: event.status
	fallbackDue             // it is SENT, and was not delivered in time
	cancel                  // its account wants it back
	expired                 // its life is over
	dayFull                 // its sender warms up, and has sent what it may today
)

// event is something that has happened to a message.
type event struct {
	kind   kind
	hop    int               // receipt: which route it is about
	ack    gateway.Ack       // acked
	err    *gateway.Error    // refused, hindered, dayFull; receipt of a failure
	status message.Status    // receipt
	at     time.Time         // receipt: when that was
	id     string            // receipt: the gateway's id of the message
	asked  int               // refused: how many calls were made since it was marked
	room   bool              // refused: there is time for another call before somebody looks again
	until  time.Time         // dayFull: when the next day begins
	called time.Time         // acked: when the call began
	day    *outbox.SenderDay // acked, refused: the day that the call was counted in; nil: none
}

// facts are what a decision depends on beside the message and the event.
type facts struct {
	now          time.Time
	next         *message.Route // the route after the one that it is on; nil: there is none
	deduplicates bool           // its gateway delivers a reference once, still
	room         bool           // there is time for another call before somebody looks again
	unknownWait  time.Duration  // how long a receipt may still decide an unknown outcome
	fallback     time.Time      // when it takes its next route, once SENT, unless it has arrived; zero: never
	jitter       float64        // -1 to 1
}

// outcome is what a decision asks for. The zero value: nothing.
type outcome struct {
	message *message.Message // as it is to be; nil: nothing changes
	steps   []message.Step
	moved   bool          // it is on another route
	notify  bool          // its status is news for the account's endpoints
	again   time.Duration // its gateway is called again after this, and nothing is written; 0: it is not
	retake  bool          // it is handed over: again, to a gateway that delivers it once; or beyond its sender's day
	keepRef bool          // only the gateway's id of it is new
}

// Decide is the only place that chooses a next status. It is pure.
func decide(m *message.Message, e *event, f *facts) outcome {
	d := &decision{before: m, e: e, f: f}
	after := *m
	d.m = &after
	switch e.kind {
	case acked:
		return d.acked()
	case refused:
		return d.refused()
	case hindered:
		return d.hindered()
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
	}
	return outcome{}
}

// decision is a decision being made: m becomes what the message is to be.
type decision struct {
	before, m *message.Message
	e         *event
	f         *facts
}

// Codes of failures that are ours and not a gateway's.
const (
	codeUnknown      = "outcome_unknown"
	codeExpired      = "expired"
	codeDisconnected = "gateway_not_connected"
	codeWarmingUp    = "sender_warming_up"
)

func unknownFailure() *message.Failure {
	return &message.Failure{Code: codeUnknown, Class: gateway.Unknown}
}

func expiredFailure() *message.Failure {
	return &message.Failure{Code: codeExpired, Class: gateway.Permanent}
}

const (
	repeats      = 2 // how often an unknown outcome is asked about again at once, where that is safe
	repeatAfter  = 200 * time.Millisecond
	unknownFirst = time.Second // then later, doubling
	unknownMost  = time.Minute
	retryJitter  = 0.2 // of a retry's delay, up or down
)

// waiting reports whether the message waits for its turn or its time.
func waiting(m *message.Message) bool {
	return m.Status == message.Queued || m.Status == message.Scheduled
}

func (d *decision) step(s message.Status, f *message.Failure, note string) message.Step {
	return message.Step{At: db.Ms(d.f.now), Status: s, Channel: d.before.Channel, Sender: d.before.SenderID, Failure: f, Note: note}
}

// write is an outcome with one step of the timeline.
func (d *decision) write(step message.Step) outcome {
	return outcome{message: d.m, steps: []message.Step{step}}
}

func (d *decision) acked() outcome {
	m, now := d.m, d.f.now
	if m.Hop != d.e.hop {
		return outcome{}
	}
	if m.Status != message.Sending && (m.Status != message.Queued || m.Calls == 0) { // a receipt was faster, or the end of its life
		if m.ProviderID != "" || d.e.ack.ProviderID == "" {
			return outcome{}
		}
		m.ProviderID = d.e.ack.ProviderID
		return outcome{message: m, keepRef: true}
	}
	m.Status, m.SentAt, m.ProviderID, m.Failure, m.DueAt = message.Sent, now, d.e.ack.ProviderID, nil, d.f.fallback
	o := d.write(d.step(message.Sent, nil, d.e.ack.Form))
	o.notify = true
	return o
}

func (d *decision) refused() outcome {
	m, err := d.m, d.e.err
	if m.Status != message.Sending || m.Hop != d.e.hop {
		return outcome{}
	}
	forGood := err.Class == gateway.Permanent || err.Class == gateway.Unreachable
	if !err.Class.HandedOver() && (m.UnknownAt.IsZero() || forGood) {
		return d.hindered()
	}
	// It may have been handed over: now, or before, and then "not now" says nothing.
	if m.UnknownAt.IsZero() {
		m.UnknownAt = d.f.now
	}
	failure := message.FailureOf(err)
	switch {
	case m.Options.Quick && d.f.next != nil: // a second copy of a code does no harm, a late one does
		return d.next(failure)
	case !d.f.now.Before(m.ExpiresAt):
		return d.fail(unknownFailure())
	case !d.f.deduplicates:
		return d.unknown(d.f.unknownWait, failure)
	case err.Class.HandedOver() && d.e.asked <= repeats && d.f.room:
		return outcome{again: repeatAfter}
	}
	return d.unknown(unknownDelay(m), failure)
}

// unknownDelay is after how long a gateway that deduplicates is called again: the longer, the more often it was.
func unknownDelay(m *message.Message) time.Duration {
	return min(unknownFirst<<min(max(m.Calls-1, 0), 10), unknownMost)
}

// hindered: nothing was handed over on this route, now.
func (d *decision) hindered() outcome {
	m, err := d.m, d.e.err
	if !m.Status.Open() {
		return outcome{}
	}
	failure := message.FailureOf(err)
	if d.e.kind == hindered && !m.UnknownAt.IsZero() { // an earlier call may have handed it over
		if !d.f.now.Before(m.ExpiresAt) {
			return d.fail(unknownFailure())
		}
		return d.unknown(unknownDelay(m), failure)
	}
	m.Tries++
	if err.Class == gateway.Permanent || err.Class == gateway.Unreachable || m.Tries >= m.Options.Retry.Max {
		return d.next(failure)
	}
	after := max(d.retryDelay(), err.RetryAfter)
	if !d.f.now.Add(after).Before(m.ExpiresAt) {
		return d.next(failure)
	}
	m.Status, m.DueAt = message.Queued, d.f.now.Add(after)
	return d.write(d.step(message.Queued, failure, "retry"))
}

// retryDelay is the delay that was asked for, doubled for each attempt that failed before, with jitter.
func (d *decision) retryDelay() time.Duration {
	delay := min(time.Duration(d.m.Options.Retry.Delay)*time.Millisecond<<min(d.m.Tries-1, 16), message.MaxRetryDelay)
	return delay + time.Duration(d.f.jitter*retryJitter*float64(delay))
}

// unknown: nobody knows whether a gateway has it. It stays SENDING, to be looked at again.
func (d *decision) unknown(wait time.Duration, failure *message.Failure) outcome {
	m := d.m
	m.Status, m.DueAt = message.Sending, d.f.now.Add(wait)
	if m.DueAt.After(m.ExpiresAt) {
		m.DueAt = m.ExpiresAt
	}
	return d.write(d.step(message.Sending, failure, "outcome unknown"))
}

// triedRoute is the route that the message is on, as one that was tried: with what is known of it.
func triedRoute(m *message.Message, e *event) message.Route {
	w := m.Route()
	w.Sent = e.kind == fallbackDue
	w.Unknown = !m.UnknownAt.IsZero() || (e.err != nil && e.err.Class.HandedOver())
	w.Closed = e.err != nil && e.err.Class == gateway.Unreachable
	return w
}

// next puts the message on its next route, where it waits for its turn. Without one it ends.
func (d *decision) next(failure *message.Failure) outcome {
	m, to := d.m, d.f.next
	if to == nil {
		return d.fail(failure)
	}
	step := d.step(message.Failed, failure, "left for "+string(to.Channel))
	if d.e.kind == fallbackDue {
		step = d.step(message.Sent, failure, "not delivered in time; left for "+string(to.Channel))
	}
	m.Tried = append(append([]message.Route(nil), m.Tried...), triedRoute(m, d.e))
	m.Take(*to)
	m.Hop++
	m.Status, m.Tries, m.UnknownAt, m.ProviderID, m.Failure, m.DueAt = message.Queued, 0, time.Time{}, "", nil, time.Time{}
	o := d.write(step)
	o.moved = true
	return o
}

// fail: there is no other route. A message that an earlier route handed over stays SENT by that one.
func (d *decision) fail(failure *message.Failure) outcome { return d.end(message.Failed, failure) }

func (d *decision) end(as message.Status, failure *message.Failure) outcome {
	m := d.m
	for _, w := range m.Tried {
		if w.Sent {
			return d.settle(w, failure)
		}
	}
	m.Status, m.Failure, m.FailedAt, m.DueAt = as, failure, d.f.now, time.Time{}
	o := d.write(d.step(as, failure, ""))
	o.notify = true
	return o
}

// settle: no route is left to try, but a gateway has the message.
func (d *decision) settle(w message.Route, failure *message.Failure) outcome {
	m := d.m
	moved := w.SenderID != m.SenderID || w.Channel != m.Channel
	m.Take(w)
	m.Status, m.DueAt, m.Failure = message.Sent, time.Time{}, nil
	o := d.write(d.step(message.Sent, failure, "no other way; it stays with "+string(w.Channel)))
	o.moved = moved
	return o
}

// notCalled: it waits for its turn again, as if it had not been marked.
func (d *decision) notCalled() outcome {
	m := d.m
	if m.Status != message.Sending {
		return outcome{}
	}
	m.Calls = max(m.Calls-1, 0)
	if !m.UnknownAt.IsZero() { // an earlier call may have handed it over: somebody looks again
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
	if first || m.UnknownAt.After(now) { // after: the clock went back
		m.UnknownAt = now
	}
	ends := m.UnknownAt.Add(d.f.unknownWait)
	switch {
	case !now.Before(m.ExpiresAt):
		return d.fail(unknownFailure())
	case m.Options.Quick && d.f.next != nil:
		return d.next(unknownFailure())
	case d.f.deduplicates && first: // written down: what comes of the next call says little of the one before
		m.DueAt = now
		return outcome{message: m, retake: true}
	case d.f.deduplicates:
		return outcome{retake: true}
	case first:
		return d.unknown(d.f.unknownWait, unknownFailure())
	case now.Before(ends): // it was looked at early, or the waiting time was lengthened
		return d.unknown(ends.Sub(now), unknownFailure())
	}
	return d.fail(unknownFailure())
}

func (d *decision) neverSeen() outcome {
	m := d.m
	if m.Status != message.Sending {
		return outcome{}
	}
	m.Status, m.UnknownAt, m.DueAt = message.Queued, time.Time{}, time.Time{}
	return d.write(d.step(message.Queued, nil, "its gateway has not seen it"))
}

func (d *decision) receipt() outcome {
	m, to := d.m, d.e.status
	arrived := to == message.Delivered || to == message.Read
	if d.e.hop > m.Hop || (d.e.hop < m.Hop && !arrived) { // of a route that was left, only the arrival is news
		return outcome{}
	}
	if m.Status.Rank() >= to.Rank() || !mayRise(m, to) {
		return outcome{}
	}
	var failure *message.Failure
	if d.e.err != nil {
		failure = message.FailureOf(d.e.err)
	}
	if to == message.Failed && (d.f.next != nil || handedOverBefore(m)) {
		return d.next(failure)
	}
	at := m.InOrder(d.e.at)
	m.Status, m.DueAt, m.Failure = to, time.Time{}, failure
	if m.ProviderID == "" {
		m.ProviderID = d.e.id
	}
	if to == message.Failed {
		m.FailedAt = at
	} else if m.SentAt.IsZero() {
		m.SentAt = at
	}
	if arrived && m.DeliveredAt.IsZero() {
		m.DeliveredAt = at
	}
	if to == message.Read && m.ReadAt.IsZero() {
		m.ReadAt = at
	}
	if to == message.Sent {
		m.DueAt = d.f.fallback
	}
	o := outcome{message: m, notify: true}
	o.steps = []message.Step{{At: db.Ms(at), Status: to, Channel: m.Channel, Failure: failure, Note: "receipt"}}
	return o
}

// mayRise reports whether a receipt may be news of a message. One that waits for its retry may have been taken all the
// same; that it was not is no news.
func mayRise(m *message.Message, to message.Status) bool {
	return m.Status.MayBecome(to) || (m.Status == message.Queued && m.Calls > 0 && to != message.Failed && message.Sending.MayBecome(to))
}

func handedOverBefore(m *message.Message) bool {
	for _, w := range m.Tried {
		if w.Sent {
			return true
		}
	}
	return false
}

func (d *decision) fallbackDue() outcome {
	m := d.m
	switch {
	case m.Status != message.Sent:
		return outcome{}
	case d.f.next == nil, !d.f.now.Before(m.ExpiresAt):
		return d.settle(m.Route(), nil)
	}
	return d.next(nil)
}

func (d *decision) cancel() outcome {
	m := d.m
	if !waiting(m) || m.HandedOver() {
		return outcome{}
	}
	m.Status, m.CanceledAt, m.DueAt = message.Canceled, d.f.now, time.Time{}
	o := d.write(message.Step{At: db.Ms(d.f.now), Status: message.Canceled, Channel: m.Channel})
	return o
}

func (d *decision) expired() outcome {
	m := d.m
	switch {
	case d.f.now.Before(m.ExpiresAt):
		return outcome{}
	case waiting(m):
		return d.end(message.Expired, expiredFailure())
	case m.Status == message.Sending && !m.UnknownAt.IsZero():
		return d.fail(unknownFailure())
	}
	return outcome{}
}

func (d *decision) dayFull() outcome {
	m := d.m
	if !waiting(m) {
		return outcome{}
	}
	switch {
	case d.f.next != nil:
		return d.next(message.FailureOf(d.e.err))
	case m.Sensitive: // it is worth nothing tomorrow
		return outcome{retake: true}
	}
	m.Status, m.DueAt = message.Queued, d.e.until
	if m.DueAt.After(m.ExpiresAt) {
		m.DueAt = m.ExpiresAt
	}
	return d.write(d.step(message.Queued, nil, "its sender warms up, and has sent what it may today; waits until "+d.e.until.UTC().Format(time.RFC3339)))
}

// nextRoute is the route after the one that a message is on, as an event leaves it; nil: there is none.
func nextRoute(m *message.Message, e *event, c *route.Conditions) *message.Route {
	w, more := route.Next(m, append(append([]message.Route(nil), m.Tried...), triedRoute(m, e)), c)
	if !more {
		return nil
	}
	return &w
}
