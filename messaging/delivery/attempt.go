package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/safedial"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/outbox"
	"griot/messaging/quota"
)

// deliver hands a message over whose turn has come.
func (s *Service) deliver(t *turn, entry outbox.Entry) {
	defer t.end()
	ctx := context.WithoutCancel(s.ctx)
	m, a, err := s.load(ctx, entry)
	if m == nil {
		t.putOff = err != nil
		return
	}
	if e := s.hindrance(m); e != nil {
		s.settle(ctx, a, m, e)
		return
	}
	g, done := s.o.Gateways.Use(m.Gateway)
	defer done()
	if g == nil {
		s.settle(ctx, a, m, &event{kind: hindered, err: &gateway.Error{Class: gateway.SenderDown, Code: codeDisconnected}})
		return
	}
	out, e := s.outbound(ctx, g, m)
	if e != nil {
		s.settle(ctx, a, m, e)
		return
	}
	day := s.warming(a, m)
	var begun outbox.BeginResult
	err = s.between("begin", func() (err error) {
		begun, err = s.outbox.Begin(ctx, entry, s.lookAt(s.o.Now()), day)
		return err
	})
	switch {
	case err != nil:
		s.notBegun(ctx, a, m, entry.Version+1, err)
		t.w.changed()
		return
	case begun.DayFull:
		_, o := s.settle(ctx, a, m, &event{kind: dayFull, err: &gateway.Error{Class: gateway.RateLimited, Code: codeWarmingUp}, until: quota.Begins(day.Day + 1)})
		if !o.retake {
			return
		}
		day = nil
		if begun, err = s.outbox.Begin(ctx, entry, s.lookAt(s.o.Now()), nil); err != nil {
			s.notBegun(ctx, a, m, entry.Version+1, err)
			t.w.changed()
			return
		}
	}
	if begun.Message == nil { // it has changed, or another node has its sender: it is found again, as what it is now
		t.w.changed()
		return
	}
	content := m.Content
	m = begun.Message
	m.Content = content
	s.handOver(ctx, a, m, g, out, t, day)
}

// notBegun is for a message that may have been marked as being handed over, under a version, in a commit that was not
// heard of. Only this process knows that it calls no gateway: it reads what there is, as soon as the database answers, and
// takes the mark back. Else the message would be looked at later, and its outcome be unknown.
func (s *Service) notBegun(ctx context.Context, a *account.Account, m *message.Message, version int64, why error) {
	s.o.Log.Error("marking a message as being handed over", "messageId", m.ID, "err", why)
	if !db.OutcomeUnknown(why) {
		return
	}
	for pause := applyPause; ; pause = min(2*pause, applyMost) {
		now, err := s.outbox.Find(ctx, m.ID)
		switch {
		case err == nil && now != nil && now.Version == version && now.Status == message.Sending:
			now.Content = m.Content
			s.settle(ctx, a, now, &event{kind: notCalled})
			return
		case err == nil, errors.Is(err, db.ErrClosed):
			return
		}
		time.Sleep(pause)
	}
}

// load reads a message whose turn has come; nil when it has changed since its key was read.
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
		err = errNoAccount
	}
	if err == nil {
		err = s.reveal(m) // with another master key nothing can be done, until it expires
	}
	if err != nil {
		s.o.Log.Error("reading a message whose turn has come", "messageId", entry.ID, "err", err)
		return nil, nil, err
	}
	return m, a, nil
}

// hindrance is why a message is not handed over any more; nil: nothing.
func (s *Service) hindrance(m *message.Message) *event {
	if !s.o.Now().Before(m.ExpiresAt) {
		return &event{kind: expired}
	}
	return nil
}

// outbound is a message as its gateway gets it, with its media.
func (s *Service) outbound(ctx context.Context, g gateway.Sender, m *message.Message) (*gateway.Outbound, *event) {
	out := m.Outbound()
	if out.Media == nil {
		return out, nil
	}
	if g.Info().MediaByLink {
		// Whose network a name or a private address means is not ours to know.
		if err := (safedial.Options{Loopback: s.o.Links.Loopback}).CheckLink(out.Media.URL); err != nil {
			return nil, &event{kind: hindered, err: &gateway.Error{Class: gateway.Permanent, Code: "media_refused", Err: err}}
		}
		return out, nil
	}
	if s.o.Media == nil {
		return nil, &event{kind: hindered, err: &gateway.Error{Class: gateway.Permanent, Code: "media_refused"}}
	}
	ctx, cancel := context.WithTimeout(ctx, s.attemptTime(m))
	defer cancel()
	media, err := s.o.Media.Fetch(ctx, out.Media.URL)
	if err != nil {
		return nil, &event{kind: hindered, err: gateway.AsError(err)}
	}
	out.Media = media
	return out, nil
}

// handOver calls a message's gateway, again where nobody knows what became of it and that is safe, and writes down what came of it.
func (s *Service) handOver(ctx context.Context, a *account.Account, m *message.Message, g gateway.Sender, out *gateway.Outbound, t *turn, day *outbox.SenderDay) {
	looked := s.lookAt(s.o.Now())
	for asked := 1; ; asked++ {
		if !s.lease.holds() || t.w.over() { // another node may have the sender by now
			t.answered(false, "")
			s.settle(ctx, a, m, &event{kind: notCalled})
			return
		}
		called := s.o.Now()
		e := s.call(ctx, g, m, out)
		e.hop, e.asked, e.called, e.day = m.Hop, asked, called, day
		e.room = s.o.Now().Add(repeatAfter + s.o.Attempt).Before(looked.Add(-lookMargin / 2))
		if e.kind == acked {
			t.answered(true, "")
		}
		_, o := s.settle(ctx, a, m, e)
		if o.again > 0 {
			if m.UnknownAt.IsZero() {
				m.UnknownAt = s.o.Now()
			}
			day = nil
			time.Sleep(o.again)
			if !s.changed(ctx, m) {
				continue
			}
		}
		if e.kind != acked {
			t.answered(true, e.err.Class)
		}
		return
	}
}

// changed reports whether somebody has written to a message since it was read: a receipt has said what became of the
// call, and another would be for nothing. One that can't be read now is taken for unchanged.
func (s *Service) changed(ctx context.Context, m *message.Message) bool {
	now, err := s.outbox.Find(ctx, m.ID)
	return err == nil && (now == nil || now.Version != m.Version)
}

// call calls a gateway once, not beyond the message's life. A driver that panics may have handed the message over.
func (s *Service) call(ctx context.Context, g gateway.Sender, m *message.Message, out *gateway.Outbound) (e *event) {
	ctx, cancel := context.WithTimeout(ctx, min(s.attemptTime(m), m.ExpiresAt.Sub(s.o.Now())))
	defer cancel()
	var err error
	defer func() {
		if p := recover(); p != nil {
			failure := &gateway.Error{Class: gateway.Unknown, Code: "gateway_panic", Err: fmt.Errorf("panic: %v", p)}
			e, err = &event{kind: refused, err: failure}, failure
			s.o.Gateways.Log(m.Gateway).Error("gateway panicked", "messageId", m.ID)
		}
		s.o.Gateways.RecordAttempt(m.Gateway, m.Channel, m.From, err)
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

// attemptTime is the most that one attempt may take: a code that comes late is worth nothing.
func (s *Service) attemptTime(m *message.Message) time.Duration {
	if m.Options.Quick {
		return min(s.o.Attempt, quickAttempt)
	}
	return s.o.Attempt
}

// warming returns the day of a message's sender that warms up; nil when there is no limit to it, as for nearly all. A
// message that may have been handed over already was counted then.
func (s *Service) warming(a *account.Account, m *message.Message) *outbox.SenderDay {
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
	return nil // removed; what waits with it still goes
}

// look decides about a message that somebody was to look at again. It returns the key of one that is to be handed over again.
func (s *Service) look(ctx context.Context, entry outbox.Entry) *outbox.Entry {
	m, a, _ := s.load(ctx, entry)
	if m == nil {
		return nil
	}
	if m.Status == message.Sent {
		s.settle(ctx, a, m, &event{kind: fallbackDue})
		return nil
	}
	if m.Status != message.Sending {
		return nil
	}
	f, err := s.facts(ctx, a, m, &event{kind: lookAgain})
	if err != nil {
		s.o.Log.Error("looking at a message again", "messageId", m.ID, "err", err)
		return nil
	}
	if !f.deduplicates && s.o.Now().Before(m.ExpiresAt) && s.neverSeen(ctx, m) {
		s.settle(ctx, a, m, &event{kind: neverSeen})
		return nil
	}
	after, o := s.settle(ctx, a, m, &event{kind: lookAgain})
	if !o.retake {
		return nil
	}
	again := outbox.EntryOf(after)
	return &again
}

// neverSeen asks a gateway that can be asked whether it knows a message's reference.
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
