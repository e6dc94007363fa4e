package delivery

import (
	"context"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/fault"
	"griot/messaging/account"
	"griot/messaging/events"
	"griot/messaging/message"
	"griot/messaging/outbox"
	"griot/messaging/route"
)

// Result is what became of a request.
type Result struct {
	Message         *message.Message
	Deduplicated    bool
	PayloadMismatch bool // a replay whose body differs from the first one's
	Used            int64
	Limit           int64 // 0: none
}

// Submit accepts a request, once: when it returns without an error the message is
// stored. It waits for the gateway, but not longer than Options.Wait; a message
// that is still on its way then comes back as QUEUED or SENDING. A caller that
// goes away cancels nothing.
//
// Errors: those of [message.Presets.Apply], [message.Request.Check], [route.First] and
// quota_exceeded, recipient_limit_reached, message_failed for a replay and idempotency_key_used, with
// nothing stored; any other error means that it is not known whether the message
// was stored, and the same idempotency key tells.
func (s *Service) Submit(ctx context.Context, c *account.Caller, r *message.Request) (*Result, error) {
	return s.SubmitWith(ctx, c, r, nil)
}

// SubmitWith is [Service.Submit] with something that is stored beside the message,
// in the transaction that accepts it, if it is accepted. Like every closure of a
// write it may run twice.
func (s *Service) SubmitWith(ctx context.Context, c *account.Caller, r *message.Request, beside func(*db.Tx, *message.Message) error) (*Result, error) {
	sub, replay, err := s.prepare(ctx, c, r)
	if err != nil || replay != nil {
		return replay, err
	}
	sub.a.AlsoStore = beside
	sub.mayBegin(ctx, s)
	err = s.between("accept", func() error { return s.outbox.Accept(ctx, []*outbox.Acceptance{sub.a}, false) })
	if err != nil {
		s.unstored(ctx, sub, err)
		return nil, err
	}
	patience := s.o.Wait
	if r.Quick {
		patience = s.o.QuickWait
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	s.launch(ctx, sub)
	return s.conclude(ctx, sub, timeout.C)
}

// submission is a request within [Service.Submit] or [Service.SubmitBatch].
type submission struct {
	c       *account.Caller
	r       *message.Request
	asked   *message.Request // with an idempotency key: r as it came
	m       *message.Message
	a       *outbox.Acceptance
	turn    *turn   // nil: it waits for one
	counted bool    // among what is under way
	waits   bool    // without a turn: it is likely to get one soon
	first   *result // of its first attempt; nil: nobody waits for that
}

// prepare does all that comes before the message is stored. A request that is refused
// is a replay all the same where its key is known: then prepare returns the stored
// message instead of a submission. That is looked up only then; a key that is
// taken shows in the transaction, and most keys are fresh.
func (s *Service) prepare(ctx context.Context, c *account.Caller, r *message.Request) (*submission, *Result, error) {
	if r.IdempotencyKey == "" {
		sub, err := s.propose(ctx, c, r)
		return sub, nil, err
	}
	asked := *r
	sub, err := s.propose(ctx, c, r)
	if err != nil {
		if replay, failed := s.replay(ctx, c, &asked); replay != nil || failed != nil {
			return nil, replay, failed
		}
		return nil, nil, err
	}
	sub.asked = &asked
	return sub, nil, nil
}

// draft makes the message of a request that passes all checks. It has no route yet.
func (s *Service) draft(c *account.Caller, r *message.Request, now time.Time) (*message.Message, error) {
	if err := s.check(r); err != nil {
		return nil, err
	}
	if err := r.CheckTimes(now); err != nil {
		return nil, err
	}
	r.Sandbox = s.simulated(c, r)
	return message.New(r, c.Account.ID, c.ProjectID, now), nil
}

// propose makes of a request what is to be stored.
func (s *Service) propose(ctx context.Context, c *account.Caller, r *message.Request) (*submission, error) {
	now := s.o.Now()
	m, err := s.draft(c, r, now)
	if err != nil {
		return nil, err
	}
	m.Entitle(c.Account.Lang.T("mail.untitled"))
	if m.RequestedChannel == message.Auto && m.Options.FallbackMs == 0 { // the account's own
		m.Options.FallbackMs = c.Account.FallbackAfter.Milliseconds()
	}
	begun, err := s.place(ctx, c.Account, m, r.Sandbox)
	if err == nil {
		err = s.conceal(m)
	}
	if err != nil {
		return nil, err
	}
	m.Timeline = message.First(message.Step{At: db.Ms(now), Status: begun, Channel: m.Channel, Sender: m.SenderID})
	sub := &submission{c: c, r: r, m: m, a: &outbox.Acceptance{Message: m, Key: r.IdempotencyKey, DailyLimit: c.Account.Plan.DailyLimit, RecipientCap: c.Account.RecipientCap}}
	if m.Status == message.Sandbox && !m.Options.Quiet && events.Wanted(c.Account, now) {
		sub.a.Events = events.Simulated(m, now)
	}
	if r.IdempotencyKey != "" {
		sub.a.Fingerprint = r.Fingerprint(s.print)
	}
	return sub, s.room(ctx, sub)
}

// place decides who sends a message, and what it waits for. It returns what the timeline begins with.
func (s *Service) place(ctx context.Context, a *account.Account, m *message.Message, simulated bool) (begun message.Status, err error) {
	if simulated {
		m.Status = message.Sandbox
		return m.Status, nil
	}
	c, err := s.conditions(ctx, a, m)
	if err != nil {
		return "", err
	}
	first, err := route.First(m, c)
	if err != nil {
		return "", err
	}
	m.Take(first)
	m.Status = message.Queued
	if !m.ScheduledAt.IsZero() {
		m.Status, m.DueAt = message.Scheduled, m.ScheduledAt
	}
	return m.Status, nil
}

// check fills in a request's preset and checks the whole.
func (s *Service) check(r *message.Request) error {
	if err := s.o.Presets.Apply(r); err != nil {
		return err
	}
	if err := r.Check(); err != nil || r.MediaURL == "" {
		return err
	}
	if err := s.o.Links.CheckLink(r.MediaURL); err != nil {
		return fault.InvalidRequest.On("mediaUrl").Detailf("mediaUrl can't be fetched from: %s.", err)
	}
	return nil
}

// simulated reports whether a request must reach no gateway (document 2 §5 and §6).
func (s *Service) simulated(c *account.Caller, r *message.Request) bool {
	return r.Sandbox || s.o.Sandbox && !r.Real || c.Kind == account.Test
}

// mayBegin asks for a turn, and lets the request's result be waited for.
func (sub *submission) mayBegin(ctx context.Context, s *Service) {
	if sub.m.Status != message.Queued {
		return
	}
	sub.first = s.results.expect(sub.m.ID)
	if sub.turn, sub.waits = s.offer(ctx, sub.c.Account, sub.m); sub.turn != nil {
		sub.a.BeginUntil = s.lookAt(s.o.Now())
	}
}

// abandon gives back what a submission held that is not stored.
func (s *Service) abandon(sub *submission) {
	s.leave(sub, true)
	if sub.turn != nil {
		sub.turn.end()
	}
	if sub.first != nil {
		s.results.end(sub.m)
		s.results.forget(sub.m.ID)
	}
}

// unstored is abandon for a submission of which nobody knows whether it was stored. What was to be handed over at once
// waits for its turn, if it is there.
func (s *Service) unstored(ctx context.Context, sub *submission, why error) {
	if sub.turn == nil {
		s.abandon(sub)
		return
	}
	s.calls.Go(func() {
		defer s.abandon(sub)
		s.notBegun(context.WithoutCancel(ctx), sub.c.Account, sub.m, 1, why)
	})
}

// launch begins to hand over what was stored, or lets it wait.
func (s *Service) launch(ctx context.Context, sub *submission) {
	if sub.a.Refusal != outbox.Stored {
		s.abandon(sub)
		return
	}
	if len(sub.a.Events) > 0 && s.o.Notify != nil {
		s.o.Notify()
	}
	if sub.turn == nil {
		if sub.m.Status == message.Queued {
			s.wake(sub.m.SenderID)
			s.notifyOwner(sub.m.SenderID)
		}
		return
	}
	if !sub.a.Begun() { // another node has accepted one before it
		sub.turn.end()
		s.wake(sub.m.SenderID)
		return
	}
	begun := *sub.m // the attempt's own: the request may be answered before it ends
	s.calls.Go(func() {
		defer sub.turn.end()
		s.handOverNow(context.WithoutCancel(ctx), sub.c.Account, &begun, sub.turn)
	})
}

// handOverNow calls the gateway of a message that was stored as being handed over.
func (s *Service) handOverNow(ctx context.Context, a *account.Account, m *message.Message, t *turn) {
	g, done := s.o.Gateways.Use(m.Gateway)
	defer done()
	if g == nil {
		t.answered(false, "")
		s.settle(ctx, a, m, &event{kind: hindered, err: &gateway.Error{Class: gateway.SenderDown, Code: codeDisconnected}})
		return
	}
	s.handOver(ctx, a, m, g, m.Outbound(), t, nil)
}
