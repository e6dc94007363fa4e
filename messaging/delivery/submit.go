package delivery

import (
	"context"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/route"
	"example.com/griot/messaging/webhooks"
)

// A Result is the result of an accepted request.
type Result struct {
	Message         *message.Message
	Deduplicated    bool
	PayloadMismatch bool // the request repeats an earlier one with a different body
	Used            int64
	Limit           int64 // 0: unlimited
}

// Submit accepts a request. If it returns without an error, the message is stored. It waits for the gateway, but not
// longer than Options.Wait. A message that is still being sent then is returned as QUEUED or SENDING. Canceling ctx
// does not cancel the message.
//
// Errors: those of [message.Presets.Apply], [message.Request.Check], [route.First], and quota_exceeded,
// recipient_limit_reached, message_failed for a replay, and idempotency_key_used. With these errors, nothing is
// stored. Any other error means that it is unknown whether the message was stored. In that case, the request can be
// repeated with the same idempotency key.
func (s *Service) Submit(ctx context.Context, c *account.Caller, r *message.Request) (*Result, error) {
	return s.SubmitWith(ctx, c, r, nil)
}

// SubmitWith is like [Service.Submit], and calls alsoStore in the transaction that accepts the message, if it is
// accepted. Like every closure of a write, alsoStore might run twice.
func (s *Service) SubmitWith(ctx context.Context, c *account.Caller, r *message.Request, alsoStore func(*db.Tx, *message.Message) error) (*Result, error) {
	s.calls.begin()
	defer s.calls.end()
	res, err := s.submit(ctx, c, r, alsoStore)
	s.countSubmission(res, err)
	return res, err
}

func (s *Service) submit(ctx context.Context, c *account.Caller, r *message.Request, alsoStore func(*db.Tx, *message.Message) error) (*Result, error) {
	sub, replay, err := s.prepare(ctx, c, r)
	if err != nil || replay != nil {
		return replay, err
	}
	sub.a.AlsoStore = alsoStore
	sub.requestTurn(ctx, s)
	s.failpoint("accept.before")
	if err := s.outbox.Accept(ctx, []*outbox.Acceptance{sub.a}, false); err != nil {
		s.releaseUnknown(ctx, sub, err)
		return nil, err
	}
	s.failpoint("accept.after")
	wait := s.o.Wait
	if r.Quick {
		wait = s.o.QuickWait
	}
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	s.startDelivery(ctx, sub)
	return s.awaitResult(ctx, sub, timeout.C)
}

// A submission is a request within [Service.Submit] or [Service.SubmitBatch].
type submission struct {
	c         *account.Caller
	r         *message.Request
	original  *message.Request // with an idempotency key: a copy of the received request
	m         *message.Message
	a         *outbox.Acceptance
	turn      *turn   // nil: it waits for one
	inBacklog bool    // counted in Service.backlog
	turnSoon  bool    // without a turn: a turn is likely to come soon
	first     *result // the result of its first attempt; nil: not awaited
}

// prepare performs all steps before the message is stored. If a request is refused and its idempotency key is stored,
// prepare returns the key's message instead. For all other requests, it does not look up the key, because the
// transaction finds out whether it is used.
func (s *Service) prepare(ctx context.Context, c *account.Caller, r *message.Request) (*submission, *Result, error) {
	if r.IdempotencyKey == "" {
		sub, err := s.newSubmission(ctx, c, r)
		return sub, nil, err
	}
	asked := *r
	sub, err := s.newSubmission(ctx, c, r)
	if err != nil {
		timeout, stop := after(s.o.Wait)
		defer stop()
		if replay, failed := s.replay(ctx, c, &asked, timeout); replay != nil || failed != nil {
			return nil, replay, failed
		}
		return nil, nil, err
	}
	sub.original = &asked
	return sub, nil, nil
}

// draft checks a request and returns its message, which has no route yet.
func (s *Service) draft(c *account.Caller, r *message.Request, now time.Time) (*message.Message, error) {
	if c.Account.Suspended() {
		return nil, apierror.AccountSuspended.Err()
	}
	if err := s.check(r); err != nil {
		return nil, err
	}
	if err := r.CheckTimes(now); err != nil {
		return nil, err
	}
	r.Sandbox = s.simulated(c, r)
	return message.New(r, c.Account.ID, c.ProjectID, now), nil
}

// newSubmission checks a request and prepares the data to store.
func (s *Service) newSubmission(ctx context.Context, c *account.Caller, r *message.Request) (*submission, error) {
	now := s.o.Now()
	m, err := s.draft(c, r, now)
	if err != nil {
		return nil, err
	}
	m.SetDefaultSubject(c.Account.Lang.T("mail.untitled"))
	if m.RequestedChannel == message.Auto && m.Options.FallbackMs == 0 { // the account's default
		m.Options.FallbackMs = c.Account.FallbackAfter.Milliseconds()
	}
	begun, err := s.chooseRoute(ctx, c.Account, m, r.Sandbox)
	if err == nil {
		err = s.sealContent(m)
	}
	if err != nil {
		return nil, err
	}
	begins := message.Step{At: db.Ms(now), Status: begun, Channel: m.Channel, Sender: m.SenderID}
	if m.RequestedChannel == message.Auto && m.ForID() {
		begins.Kind = message.NoteNoNumber
	}
	m.Timeline = message.FirstStep(begins)
	sub := &submission{c: c, r: r, m: m, a: &outbox.Acceptance{Message: m, Key: r.IdempotencyKey, DailyLimit: c.Account.Plan.DailyLimit, RecipientCap: c.Account.RecipientCap, HasAliases: c.Account.HasAliases}}
	if m.Status == message.Sandbox && !m.Options.Quiet {
		sub.a.Events = webhooks.Simulated(c.Account, m, now)
	}
	if r.IdempotencyKey != "" {
		sub.a.Fingerprint = s.fingerprint(r)
	}
	return sub, s.enterBacklog(ctx, sub)
}

// chooseRoute sets a message's first route and its status, with which the timeline starts.
func (s *Service) chooseRoute(ctx context.Context, a *account.Account, m *message.Message, simulated bool) (begun message.Status, err error) {
	if simulated {
		m.Status = message.Sandbox
		return m.Status, nil
	}
	if err := s.applyCategory(ctx, m); err != nil {
		return "", err
	}
	c, err := s.conditions(ctx, a, m)
	if err != nil {
		return "", err
	}
	err = setFirstRoute(m, c)
	return m.Status, err
}

// setFirstRoute sets a message's first route and its status.
func setFirstRoute(m *message.Message, c *route.Conditions) error {
	first, err := route.First(m, c)
	if err != nil {
		return err
	}
	m.SetRoute(first)
	m.Status = message.Queued
	if !m.ScheduledAt.IsZero() {
		m.Status, m.DueAt = message.Scheduled, m.ScheduledAt
	}
	return nil
}

// check applies a request's preset, and checks the request.
func (s *Service) check(r *message.Request) error {
	if err := s.o.Presets.Apply(r); err != nil {
		return err
	}
	var seen bool
	if r.MediaURL, seen = visible.Address(r.MediaURL); !seen {
		return apierror.InvalidRequest.On("mediaUrl").Detailf("mediaUrl must not contain invisible characters.")
	}
	if err := r.Check(); err != nil || r.MediaURL == "" {
		return err
	}
	if err := s.o.Links.CheckLink(r.MediaURL); err != nil {
		return apierror.InvalidRequest.On("mediaUrl").Detailf("mediaUrl can't be fetched: %s.", err)
	}
	return nil
}

// simulated reports whether a request must not be submitted to a gateway.
func (s *Service) simulated(c *account.Caller, r *message.Request) bool {
	return r.Sandbox || s.o.Sandbox && !r.Real || c.Kind == account.Test
}

// requestTurn registers the request for its first result, and gets a turn if the message can be sent immediately.
func (sub *submission) requestTurn(ctx context.Context, s *Service) {
	if sub.m.Status != message.Queued {
		return
	}
	sub.first = s.results.expect(sub.m.ID)
	if sub.turn, sub.turnSoon = s.turnFor(ctx, sub.c.Account, sub.m); sub.turn != nil {
		sub.a.BeginUntil = s.lookAgainAt(s.o.Now())
	}
}

// releaseSubmission releases the turn and the registration of a submission that is not stored.
func (s *Service) releaseSubmission(sub *submission) {
	s.leaveBacklog(sub, true)
	if sub.turn != nil {
		sub.turn.end()
	}
	if sub.first != nil {
		s.results.set(sub.m)
		s.results.forget(sub.m.ID)
	}
}

// releaseUnknown is like releaseSubmission, for a submission that might have been stored. A message that was stored
// as SENDING is reset to QUEUED.
func (s *Service) releaseUnknown(ctx context.Context, sub *submission, why error) {
	if sub.turn == nil {
		s.releaseSubmission(sub)
		return
	}
	sub.turn.takesBack = true
	s.calls.Go(func() {
		defer s.releaseSubmission(sub)
		s.undoUnknownBegin(context.WithoutCancel(ctx), sub.c.Account, sub.m, 1, why)
	})
}

// startDelivery submits a stored message that has a turn. For any other message, it notifies the sender's worker.
func (s *Service) startDelivery(ctx context.Context, sub *submission) {
	if sub.a.Refusal != outbox.Stored {
		s.releaseSubmission(sub)
		return
	}
	if sub.turn == nil {
		if sub.m.Status == message.Queued {
			s.notifyAccepted(sub.m)
			s.notifyOwner(sub.m.SenderID)
		}
		return
	}
	if !sub.a.Begun() { // another node has accepted an earlier message of this order key
		sub.turn.takesBack = true
		sub.turn.end()
		s.notifyWorker(sub.m.SenderID)
		return
	}
	s.calls.Go(func() {
		defer sub.turn.end()
		s.callGatewayNow(context.WithoutCancel(ctx), sub.c.Account, sub.m, sub.turn)
	})
}

// callGatewayNow calls the gateway of a message that was stored as SENDING.
func (s *Service) callGatewayNow(ctx context.Context, a *account.Account, m *message.Message, t *turn) {
	g, done := s.o.Gateways.Use(m.Gateway)
	defer done()
	if g == nil {
		t.callEnded(false, "")
		s.settle(ctx, a, m, &event{kind: prepareFailed, err: &gateway.Error{Class: gateway.SenderDown, Code: codeDisconnected}})
		return
	}
	s.callGateway(ctx, a, m, g, s.composed(ctx, g, m), t, nil)
}
