package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/quota"
)

// deliver submits a message whose turn has come. Until the database responds, the message keeps its turn, so that the
// messages behind it in its line wait.
func (s *Service) deliver(t *turn, entry outbox.Entry) {
	defer t.end()
	t.worker.untilAnswered(func() error { return s.tryToDeliver(t, &entry) })
}

// tryToDeliver is one try of deliver. After an error of the database, nothing was submitted, and entry has the
// version for the next try.
func (s *Service) tryToDeliver(t *turn, entry *outbox.Entry) error {
	ctx := context.WithoutCancel(s.ctx)
	m, a, err := s.load(ctx, *entry)
	if m == nil {
		t.unreadable = errors.Is(err, errUnreadable)
		return err
	}
	if senderPaused(a, m.SenderID) { // it was paused just now; the worker does not know it yet and reads the message again
		return s.learnPause(ctx, t)
	}
	if a.Closed() { // messages that an earlier route has accepted continue
		if after, _ := s.settle(ctx, a, m, &event{kind: cancel}); after.Version != m.Version {
			return nil
		}
	}
	if !s.o.Now().Before(m.ExpiresAt) {
		s.settle(ctx, a, m, &event{kind: expired})
		return nil
	}
	g, done := s.o.Gateways.Use(m.Gateway)
	defer done()
	if g == nil {
		s.settle(ctx, a, m, &event{kind: prepareFailed, err: &gateway.Error{Class: gateway.SenderDown, Code: codeDisconnected}})
		return nil
	}
	out, e := s.outbound(ctx, g, m)
	if e != nil {
		s.settle(ctx, a, m, e)
		return nil
	}
	day := s.warmUpDay(a, m)
	begun, err := s.begin(ctx, a, m, entry, day)
	if err == nil && begun.DayFull {
		_, o := s.settle(ctx, a, m, &event{kind: dayFull, err: &gateway.Error{Class: gateway.RateLimited, Code: codeWarmingUp}, until: quota.DayStart(day.Day + 1)})
		if !o.handOver {
			return nil
		}
		day = nil
		begun, err = s.begin(ctx, a, m, entry, day)
	}
	switch {
	case err != nil:
		return err
	case begun.Suspended:
		return s.learnSuspension(ctx, t)
	case begun.OptedOut != "":
		s.settle(ctx, a, m, optedOutEvent(begun.OptedOut))
		return nil
	case begun.Message == nil: // the message has changed, or another node has its sender; the worker reads it again
		t.worker.refresh()
		return nil
	}
	begun.Message.Content = m.Content
	s.callGateway(ctx, a, begun.Message, g, out, t, day)
	return nil
}

// begin marks a message as SENDING. After an error, the message is not marked, and entry has its version.
func (s *Service) begin(ctx context.Context, a *account.Account, m *message.Message, entry *outbox.Entry, day *outbox.SenderDay) (begun outbox.BeginResult, err error) {
	err = s.withFailpoints("begin", func() (err error) {
		begun, err = s.outbox.Begin(ctx, *entry, m, s.lookAgainAt(s.o.Now()), day)
		return err
	})
	if err != nil {
		s.o.Log.Error("marking a message as SENDING", "messageId", m.ID, "err", err)
		if undone := s.undoUnknownBegin(ctx, a, m, entry.Version+1, err); undone != nil {
			entry.Version = undone.Version
		}
	}
	return begun, err
}

// undoUnknownBegin resets a message that might have been marked as SENDING, with the given version, by a commit whose
// result is unknown. Only this process knows that no gateway was called. Without the correction, the outcome would be
// treated as unknown. It reads the row until the database responds, and returns the message if it has reset it.
func (s *Service) undoUnknownBegin(ctx context.Context, a *account.Account, m *message.Message, version int64, why error) *message.Message {
	if !db.OutcomeUnknown(why) {
		return nil
	}
	for pause := applyRetryFirst; ; pause = min(2*pause, applyRetryMax) {
		now, err := s.outbox.Find(ctx, m.ID)
		switch {
		case err == nil && now != nil && now.Version == version && now.Status == message.Sending:
			now.Content = m.Content
			after, o := s.settle(ctx, a, now, &event{kind: notCalled})
			if o.message == nil {
				return nil
			}
			return after
		case err == nil, errors.Is(err, db.ErrClosed):
			return nil
		}
		time.Sleep(pause)
	}
}

// errUnreadable is the error for a message that can never be read, because its account was deleted or its content was
// sealed with another master key.
var errUnreadable = errors.New("delivery: a message that can't be read")

// load reads a message whose turn has come. It returns nil if the message has changed since its entry was read.
func (s *Service) load(ctx context.Context, entry outbox.Entry) (*message.Message, *account.Account, error) {
	m, err := s.outbox.Find(ctx, entry.ID)
	if err == nil && (m == nil || m.Version != entry.Version) {
		return nil, nil, nil
	}
	var a *account.Account
	if err == nil {
		a, err = s.o.Directory.Account(ctx, m.AccountID)
	}
	if err == nil && a == nil {
		err = fmt.Errorf("%w: %w", errUnreadable, errNoAccount)
	}
	if err == nil {
		if err = s.openContent(m); err != nil {
			err = fmt.Errorf("%w: %w", errUnreadable, err)
		}
	}
	if err != nil {
		s.o.Log.Error("reading a message whose turn has come", "messageId", entry.ID, "err", err)
		return nil, nil, err
	}
	return m, a, nil
}

// callGateway calls a message's gateway and settles the result. If the outcome is unknown and the gateway
// deduplicates, it calls the gateway again.
func (s *Service) callGateway(ctx context.Context, a *account.Account, m *message.Message, g gateway.Sender, out *gateway.Outbound, t *turn, day *outbox.SenderDay) {
	looked := s.lookAgainAt(s.o.Now())
	for asked := 1; ; asked++ {
		if !s.lease.holds() || t.worker.isClosed() { // another node might have the sender by now
			t.callEnded(false, "")
			s.settle(ctx, a, m, &event{kind: notCalled})
			return
		}
		called := s.o.Now()
		e := s.call(ctx, g, m, out)
		e.routeIndex, e.calls, e.called, e.day = m.RouteIndex, asked, called, day
		e.timeToRepeat = s.o.Now().Add(repeatDelay + s.o.Attempt).Before(looked.Add(-lookMargin / 2))
		if e.kind == acked {
			t.callEnded(true, "")
		}
		_, o := s.settle(ctx, a, m, e)
		if o.repeatIn > 0 {
			if m.UnknownAt.IsZero() {
				m.UnknownAt = s.o.Now()
			}
			day = nil
			time.Sleep(o.repeatIn)
			if now, err := s.o.Directory.Account(ctx, m.AccountID); err == nil && now != nil {
				a = now
			}
			switch {
			case s.changedSince(ctx, m):
			case a.Suspended():
				s.settle(ctx, a, m, &event{kind: lookAgain})
			default:
				code := s.optedOutSince(ctx, m)
				if code == "" {
					continue
				}
				s.settle(ctx, a, m, optedOutEvent(code))
			}
		}
		if e.kind != acked {
			t.callEnded(true, e.err.Class)
		}
		return
	}
}

// changedSince reports whether a message has changed since it was read, for example because of a receipt of the call.
// In that case, no other call is needed. A message that cannot be read now is treated as unchanged.
func (s *Service) changedSince(ctx context.Context, m *message.Message) bool {
	now, err := s.outbox.Find(ctx, m.ID)
	return err == nil && (now == nil || now.Version != m.Version)
}

// optedOutSince returns the failure code if a message's recipient has opted out of it. It returns "" if this cannot be read.
func (s *Service) optedOutSince(ctx context.Context, m *message.Message) string {
	if m.Options.Code {
		return ""
	}
	out, err := optout.Channels(s.o.DB.Read(ctx), s.people, m.AccountID, m.Address, m.Address, m.IsMarketing())
	switch {
	case err != nil:
	case out[m.Channel]:
		return message.CodeOptedOut
	case out[optout.Marketing]:
		return message.CodeMarketingStopped
	}
	return ""
}

// call calls a gateway once, within the message's lifetime. After a panic of the driver, the outcome is unknown.
func (s *Service) call(ctx context.Context, g gateway.Sender, m *message.Message, out *gateway.Outbound) (e *event) {
	ctx, cancel := context.WithTimeout(ctx, min(s.attemptTime(m), m.ExpiresAt.Sub(s.o.Now())))
	defer cancel()
	var err error
	began := clock.Running()
	defer func() {
		if p := recover(); p != nil {
			failure := &gateway.Error{Class: gateway.Unknown, Code: "gateway_panic", Err: fmt.Errorf("panic: %v", p)}
			e, err = &event{kind: refused, err: failure}, failure
			s.o.Gateways.Log(m.Gateway).Error("gateway panicked", "messageId", m.ID)
		}
		s.o.Gateways.RecordAttempt(m.Gateway, m.Channel, m.From, err, clock.Running()-began)
	}()
	s.failpoint("call.before")
	var ack gateway.Ack
	ack, err = g.Send(ctx, out)
	s.failpoint("call.after")
	if err == nil {
		return &event{kind: acked, ack: ack}
	}
	failure := gateway.AsError(err)
	s.o.Log.Debug("attempt failed", "messageId", m.ID, "gateway", m.Gateway, "class", string(failure.Class), "code", failure.Code, "err", failure.Err)
	return &event{kind: refused, err: failure}
}

// attemptTime returns the time limit of one attempt. It is shorter for codes, which are useless when they are late.
func (s *Service) attemptTime(m *message.Message) time.Duration {
	if m.Options.Quick {
		return min(s.o.Attempt, quickAttempt)
	}
	return s.o.Attempt
}

// warmUpDay returns today's limit of a message's sender during a warm-up, or nil if there is none. A message that
// might already have been submitted has been counted, so it gets nil.
func (s *Service) warmUpDay(a *account.Account, m *message.Message) *outbox.SenderDay {
	if !m.UnknownAt.IsZero() {
		return nil
	}
	for i := range a.Senders {
		from := &a.Senders[i]
		if from.ID != m.SenderID {
			continue
		}
		day := quota.Day(s.o.Now())
		limit, ok := from.WarmUp.Allowance(day)
		if !ok {
			return nil
		}
		return &outbox.SenderDay{SenderID: from.ID, Day: day, Limit: limit}
	}
	return nil // the sender was removed, but its waiting messages are still sent
}

// handleLookAgain decides about a message whose check is due. It returns the message's entry if the message must be
// submitted again, and an error if the database did not respond.
func (s *Service) handleLookAgain(ctx context.Context, entry outbox.Entry) (again *outbox.Entry, err error) {
	m, a, err := s.load(ctx, entry)
	if m == nil {
		return nil, err
	}
	if m.Status == message.Sent {
		s.settle(ctx, a, m, &event{kind: fallbackDue})
		return nil, nil
	}
	if m.Status != message.Sending {
		return nil, nil
	}
	f, err := s.facts(ctx, a, m, &event{kind: lookAgain})
	if err != nil {
		s.o.Log.Error("looking at a message again", "messageId", m.ID, "err", err)
		return nil, err
	}
	if !f.deduplicates && s.o.Now().Before(m.ExpiresAt) && s.neverSeen(ctx, m) {
		s.settle(ctx, a, m, &event{kind: neverSeen})
		return nil, nil
	}
	after, o := s.settle(ctx, a, m, &event{kind: lookAgain})
	if !o.handOver {
		return nil, nil
	}
	next := outbox.EntryOf(after)
	return &next, nil
}

// neverSeen queries a gateway, if it supports queries, and reports whether it does not know a message's reference.
func (s *Service) neverSeen(ctx context.Context, m *message.Message) bool {
	g, done := s.o.Gateways.Use(m.Gateway)
	defer done()
	q, ok := g.(gateway.Querier)
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Attempt)
	defer cancel()
	seen, _, err := q.Query(ctx, m.Ref())
	return err == nil && !seen
}
