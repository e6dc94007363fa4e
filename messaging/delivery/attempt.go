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

// An attempt is a message whose turn has come, on the way to its gateway.
type attempt struct {
	turn  *turn
	entry outbox.Entry

	message *message.Message // nil: not read yet
	account *account.Account
	gateway gateway.Sender
	done    func() // ends the use of the gateway; nil: it isn't used
	out     *gateway.Outbound
	day     *outbox.SenderDay // of a sender in a warm-up, in which it is counted; nil: none
	dayFull bool              // it is submitted although the day is full
}

// forget gives up what was read, for another try.
func (at *attempt) forget() {
	if at.done != nil {
		at.done()
	}
	*at = attempt{turn: at.turn, entry: at.entry, dayFull: at.dayFull}
}

// end gives up the gateway and the turn.
func (at *attempt) end() {
	at.forget()
	at.turn.end()
}

// deliver submits messages of one sender whose turn has come. Until the database responds, the messages keep their
// turns, so that the messages behind them in their lines wait.
func (s *Service) deliver(all []*attempt) {
	ctx := outbox.InBulk(context.WithoutCancel(s.ctx))
	all[0].turn.worker.untilAnswered(func() (err error) {
		all, err = s.tryToDeliver(ctx, all)
		return err
	})
	for _, at := range all {
		at.end()
	}
}

// tryToDeliver is one try of deliver. It returns the messages for which the database did not respond, of which none was
// submitted.
func (s *Service) tryToDeliver(ctx context.Context, all []*attempt) (again []*attempt, err error) {
	if err := s.loadAll(ctx, all); err != nil {
		return all, err
	}
	var ready []*attempt
	for _, at := range all {
		switch {
		case at.message == nil: // it has changed, or can't be read
			at.turn.takesBack = true
			at.end()
		case len(all) > 1 && !s.startsAtOnce(at): // it must not delay the others
			s.calls.Go(func() { s.deliver([]*attempt{at}) })
		default:
			if starts, err := s.prepareCall(ctx, at); err != nil {
				return []*attempt{at}, err // the only one
			} else if starts {
				ready = append(ready, at)
			}
		}
	}
	return s.beginAndCall(ctx, ready)
}

// startsAtOnce reports whether nothing has to be read, written, or fetched for a message before it is marked as SENDING.
func (s *Service) startsAtOnce(at *attempt) bool {
	m := at.message
	return !senderPaused(at.account, m.SenderID) && !at.account.Closed() && s.o.Now().Before(m.ExpiresAt) && m.Options.MediaURL == "" && m.Options.ReplyTo == "" &&
		s.o.Gateways.Get(m.Gateway) != nil && s.warmUpDay(at.account, m) == nil
}

// prepareCall performs the steps before a message is marked as SENDING. If starts is false and there is no error, the
// message does not start, and its turn has ended.
func (s *Service) prepareCall(ctx context.Context, at *attempt) (starts bool, err error) {
	a, m := at.account, at.message
	defer func() {
		if !starts && err == nil {
			at.end()
		}
	}()
	if senderPaused(a, m.SenderID) { // it was paused just now; the worker does not know it yet and reads the message again
		return false, s.learnPause(ctx, at.turn)
	}
	if a.Closed() { // messages that an earlier route has accepted continue
		if after, _ := s.settle(ctx, a, m, &event{kind: cancel}); after.Version != m.Version {
			return false, nil
		}
	}
	if !s.o.Now().Before(m.ExpiresAt) {
		s.settle(ctx, a, m, &event{kind: expired})
		return false, nil
	}
	g, done := s.o.Gateways.Use(m.Gateway)
	at.done = done
	if g == nil {
		s.settle(ctx, a, m, &event{kind: prepareFailed, err: &gateway.Error{Class: gateway.SenderDown, Code: codeDisconnected}})
		return false, nil
	}
	out, e := s.outbound(ctx, g, m)
	if e != nil {
		s.settle(ctx, a, m, e)
		return false, nil
	}
	at.gateway, at.out = g, out
	if at.day = nil; !at.dayFull {
		at.day = s.warmUpDay(a, m)
	}
	return true, nil
}

// beginAndCall marks messages as SENDING and calls their gateways, which it does not wait for. It returns like tryToDeliver.
func (s *Service) beginAndCall(ctx context.Context, ready []*attempt) (again []*attempt, err error) {
	if len(ready) == 0 {
		return nil, nil
	}
	begins := make([]*outbox.Begin, len(ready))
	until := s.lookAgainAt(s.o.Now())
	for i, at := range ready {
		begins[i] = &outbox.Begin{Message: at.message, Until: until, Day: at.day}
	}
	s.failpoint("begin.before")
	if err := s.outbox.Begin(ctx, begins); err != nil {
		s.o.Log.Error("marking messages as SENDING", "messages", len(ready), "err", err)
		for _, at := range ready {
			if undone := s.undoUnknownBegin(ctx, at.account, at.message, at.entry.Version+1, err); undone != nil {
				at.entry.Version = undone.Version
			}
			at.forget()
		}
		return ready, err
	}
	s.failpoint("begin.after")
	for i, at := range ready {
		s.calls.Go(func() { s.begun(ctx, at, begins[i]) })
	}
	return nil, nil
}

// begun continues with the result of a message's write.
func (s *Service) begun(ctx context.Context, at *attempt, b *outbox.Begin) {
	a, m := at.account, at.message
	switch {
	case b.Begun != nil:
		s.callGateway(ctx, a, b.Begun, at.gateway, at.out, at.turn, at.day)
	case b.DayFull:
		_, o := s.settle(ctx, a, m, &event{kind: dayFull, err: &gateway.Error{Class: gateway.RateLimited, Code: codeWarmingUp}, until: quota.DayStart(at.day.Day + 1)})
		if o.handOver {
			at.forget()
			at.dayFull = true
			s.deliver([]*attempt{at})
			return
		}
	case b.Suspended:
		s.learnSuspension(ctx, at.turn)
	case b.OptedOut != "":
		s.settle(ctx, a, m, optedOutEvent(b.OptedOut))
	default: // the message has changed, another node has its sender, or its account was resumed just now
		at.turn.takesBack = true
	}
	at.end()
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

// loadAll reads the messages that are not read yet. A message that has changed since its entry was read, and one that
// is unreadable, stays nil.
func (s *Service) loadAll(ctx context.Context, all []*attempt) error {
	var unread []outbox.Entry
	for _, at := range all {
		if at.message == nil {
			unread = append(unread, at.entry)
		}
	}
	found, err := s.outbox.Take(ctx, unread)
	if err != nil {
		s.o.Log.Error("reading messages whose turn has come", "messages", len(unread), "err", err)
		return err
	}
	for _, at := range all {
		m := found[at.entry.ID]
		if m == nil {
			continue
		}
		switch a, err := s.open(ctx, m); {
		case errors.Is(err, errUnreadable):
			at.turn.unreadable = true
		case err != nil:
			return err
		default:
			at.message, at.account = m, a
		}
	}
	return nil
}

// load reads a message whose check is due. It returns nil if the message has changed since its entry was read.
func (s *Service) load(ctx context.Context, entry outbox.Entry) (*message.Message, *account.Account, error) {
	m, err := s.outbox.Find(ctx, entry.ID)
	if err != nil {
		s.o.Log.Error("reading a message whose check is due", "messageId", entry.ID, "err", err)
	}
	if err != nil || m == nil || m.Version != entry.Version {
		return nil, nil, err
	}
	a, err := s.open(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	return m, a, nil
}

// open reads the account of a message that was read, and decrypts its content.
func (s *Service) open(ctx context.Context, m *message.Message) (*account.Account, error) {
	a, err := s.o.Directory.Account(ctx, m.AccountID)
	if err == nil && a == nil {
		err = fmt.Errorf("%w: %w", errUnreadable, errNoAccount)
	}
	if err == nil {
		if err = s.openContent(m); err != nil {
			err = fmt.Errorf("%w: %w", errUnreadable, err)
		}
	}
	if err != nil {
		s.o.Log.Error("reading a message whose turn has come", "messageId", m.ID, "err", err)
	}
	return a, err
}

// callGateway calls a message's gateway and settles the result. If the outcome is unknown and the gateway
// deduplicates, it calls the gateway again.
func (s *Service) callGateway(ctx context.Context, a *account.Account, m *message.Message, g gateway.Sender, out *gateway.Outbound, t *turn, day *outbox.SenderDay) {
	looked := s.lookAgainAt(s.o.Now())
	for asked := 1; ; asked++ {
		if !s.lease.holds() || t.worker.isClosed() { // another node might have the sender by now
			t.takesBack = true // its line waits until the outcome is written
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
			if m.UnknownAt.IsZero() { // in a copy, because the response to the request might be written from m
				unknown := *m
				unknown.UnknownAt = s.o.Now()
				m = &unknown
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
				t.takesBack = true
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
	if a.Suspended() { // the cached account might be outdated, and the message would wait for the end of a suspension that has ended
		if a, err = s.o.Directory.StoredAccount(ctx, a.ID); err != nil || a == nil {
			return nil, err
		}
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
