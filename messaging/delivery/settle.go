package delivery

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/failpoint"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/webhooks"
)

var errNoAccount = errors.New("delivery: a message without an account")

// Pauses before an outcome that could not be written is written again, because only this process knows the gateway's response.
const (
	applyRetryFirst = 50 * time.Millisecond
	applyRetryMax   = 2 * time.Second
)

// settle decides about an event and writes the outcome. If the message has changed in the meantime, it decides again.
// It returns the resulting message and the last outcome.
func (s *Service) settle(ctx context.Context, a *account.Account, m *message.Message, e *event) (*message.Message, outcome) {
	for pause := applyRetryFirst; ; {
		after, o, err := s.settleOnce(ctx, a, m, e)
		switch {
		case err == nil && after != nil:
			return after, o
		case err == nil: // the message has changed
			m, err = s.reread(ctx, m)
			if err == nil {
				continue
			}
		}
		s.o.Log.Error("writing a message's outcome", "messageId", m.ID, "err", err)
		if errors.Is(err, db.ErrClosed) || errors.Is(err, errNoAccount) || ctx.Err() != nil {
			return m, outcome{}
		}
		time.Sleep(pause)
		pause = min(2*pause, applyRetryMax)
	}
}

// settleOnce decides once. after is nil if the message has changed since it was read.
func (s *Service) settleOnce(ctx context.Context, a *account.Account, m *message.Message, e *event) (after *message.Message, o outcome, err error) {
	f, err := s.facts(ctx, a, m, e)
	if err != nil {
		return nil, o, err
	}
	o = decide(m, e, f)
	if o.message == nil {
		if o.repeatIn == 0 && !o.handOver {
			s.results.report(m)
		}
		return m, o, s.optOutOnly(ctx, a, m, e, f.now)
	}
	t := s.transition(a, m, e, &o, f.now)
	s.failpoint(e.failpoint() + ".before")
	applied, err := s.outbox.Apply(ctx, t)
	if err == nil {
		s.failpoint(e.failpoint() + ".after")
	}
	if err != nil || !applied.Changed {
		return nil, o, err
	}
	after = o.message
	after.Version++
	s.applied(ctx, t, applied)
	return after, o, nil
}

func (e *event) failpoint() string {
	if e.kind == receipt {
		return "receipt"
	}
	return "apply"
}

// applied performs the steps that follow a written transition.
func (s *Service) applied(ctx context.Context, t *outbox.Transition, applied outbox.Applied) {
	m := t.Message
	if len(t.Steps) > 0 || t.Before.Status != m.Status {
		s.transitions[m.Channel].Written(string(m.Status))
	}
	if applied.AccountChanged {
		s.o.Directory.Forget(m.AccountID)
	}
	s.learnCategory(ctx, t)
	s.results.report(m)
	if m.Status == message.Queued && m.DueAt.IsZero() {
		s.deliverReady(ctx, m.SenderID)
	}
	if applied.Early != nil {
		if err := s.applyEarlyReceipt(ctx, applied.Early); err != nil {
			s.o.Log.Error("applying an early receipt", "messageId", m.ID, "err", err) // maintain tries it again
		}
	}
}

func (s *Service) reread(ctx context.Context, m *message.Message) (*message.Message, error) {
	now, err := s.outbox.Find(ctx, m.ID)
	if err != nil {
		return m, err
	}
	if now == nil {
		return m, errNoAccount
	}
	now.Content = m.Content
	return now, nil
}

// facts returns the current inputs of a decision about a message.
func (s *Service) facts(ctx context.Context, a *account.Account, m *message.Message, e *event) (*facts, error) {
	now := s.o.Now()
	f := &facts{now: now, suspended: a.Suspended(), timeToRepeat: e.timeToRepeat, unknownWait: s.o.UnknownWait, jitter: rand.Float64()*2 - 1}
	if failpoint.Has(failpoint.BelievedAtOnce) {
		f.unknownWait = 0
	}
	g := s.o.Gateways.Get(m.Gateway)
	f.deduplicates = g != nil && s.mayRepeat(g.Info(), m)
	if e.kind == senderRemoved {
		var err error
		f.next, err = s.otherRoute(ctx, a, m)
		return f, err
	}
	erased := m.Erased() || m.Sensitive && m.Sealed == "" && m.Status == message.Sent // there is no content left to send
	if m.RequestedChannel != message.Auto || erased {
		return f, nil
	}
	c, err := s.conditions(ctx, a, m)
	if err != nil {
		return nil, err
	}
	f.next = nextRoute(m, e, c)
	if m.Options.FallbackMs == 0 || g == nil || !g.Info().Receipts || nextRoute(m, &event{kind: fallbackDue}, c) == nil {
		return f, nil
	}
	if due := now.Add(m.Options.FallbackAfter()); due.Before(m.ExpiresAt) {
		f.fallback = due
	}
	return f, nil
}

// mayRepeat reports whether a message that might have been submitted can be submitted again, because its gateway
// delivers a reference only once, and remembers it for long enough since the earliest possible call.
func (s *Service) mayRepeat(i gateway.Info, m *message.Message) bool {
	return i.Deduplicates && (i.DeduplicatesFor == 0 || s.o.Now().Add(s.o.Attempt).Before(earliestCall(m).Add(i.DeduplicatesFor)))
}

// earliestCall returns the earliest time at which a gateway might have been called with a message.
func earliestCall(m *message.Message) time.Time {
	if m.ScheduledAt.After(m.CreatedAt) {
		return m.ScheduledAt
	}
	return m.CreatedAt
}

// transition returns the data to write for an outcome that was decided at now, with additions from the account's settings.
func (s *Service) transition(a *account.Account, before *message.Message, e *event, o *outcome, now time.Time) *outbox.Transition {
	m := o.message
	t := &outbox.Transition{Before: before, Message: m, Steps: o.steps, RouteChanged: o.routeChanged, HasRecipientCap: a.RecipientCap > 0}
	t.EraseContent = !m.Status.Open() && m.DueAt.IsZero()
	t.Refund = refunds(before, m, e)
	if o.notify && webhooks.StatusWanted(a, m.Status, now) {
		at := now
		if e.kind == receipt {
			at = before.ClampTime(e.at)
		}
		t.Event = webhooks.StatusChanged(m, before.Status, m.Status, at, m.ProviderID, m.Failure)
		t.Event.Stored = now // the receipt's own time might be long ago
	}
	if g := s.o.Gateways.Get(m.Gateway); e.kind == acked && m.ProviderID != "" && g != nil {
		if i := g.Info(); i.ByProviderID || i.QuotesByProviderID {
			t.ProviderRef = &outbox.ProviderRef{Gateway: m.Gateway, ProviderID: m.ProviderID, Ref: m.Ref(), CalledAt: e.called, Quoted: i.QuotesByProviderID}
			if i.Deduplicates && (before.Calls > 1 || e.calls > 1) { // it returns the ID of the first call, whose receipt might already have arrived
				t.ProviderRef.CalledAt = earliestCall(m)
			}
		}
	}
	if e.kind == acked && m.RouteIndex == e.routeIndex {
		t.Recipient = e.ack.Recipient
	}
	t.OptOut = s.optOutOf(a, before, e, now)
	if e.kind == refused && e.day != nil && !e.err.Class.HandedOver() && before.UnknownAt.IsZero() {
		t.RefundSenderDay = e.day
	}
	return t
}

// refunds reports whether a message ends without having been submitted, so that its quota is refunded.
func refunds(before, after *message.Message, e *event) bool {
	ended := after.Status == message.Failed || after.Status == message.Expired || after.Status == message.Canceled
	return ended && before.Status.Open() && e.kind != receipt && after.ChargedDay != 0 && !after.HandedOver()
}
