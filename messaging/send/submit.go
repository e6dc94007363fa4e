package send

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/route"
	"griot/messaging/webhook"
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
// Errors: those of [message.Presets.Apply], [message.Request.Check], [route.Pick] and document 2 §7
// (quota_exceeded, recipient_limit_reached, message_failed for a replay), with
// nothing stored; any other error means that it is not known whether the message
// was stored, and the same idempotency key tells.
func (e *Engine) Submit(ctx context.Context, c *account.Caller, r *message.Request) (*Result, error) {
	return e.SubmitWith(ctx, c, r, nil)
}

// SubmitWith is [Engine.Submit] with something that is stored beside the message,
// in the transaction that accepts it, if it is accepted. Like every closure of a
// write it may run twice.
func (e *Engine) SubmitWith(ctx context.Context, c *account.Caller, r *message.Request, beside func(*db.Tx, *message.Message) error) (*Result, error) {
	s, replay, err := e.begin(ctx, c, r)
	if err != nil || replay != nil {
		return replay, err
	}
	s.beside = beside
	if err := e.accept(ctx, s); err != nil {
		e.abandon(s)
		return nil, err
	}
	patience := e.o.Wait
	if r.Quick {
		patience = e.o.QuickWait
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	e.launch(ctx, s)
	return e.conclude(ctx, s, timeout.C)
}

// begin does all that comes before the first transaction. A request that is refused
// is a replay all the same where its key is known: then begin returns the stored
// message instead of a submission. That is looked up only then; a key that is
// taken shows in the transaction, and most keys are fresh.
func (e *Engine) begin(ctx context.Context, c *account.Caller, r *message.Request) (*submission, *Result, error) {
	if r.IdempotencyKey == "" {
		s, err := e.propose(ctx, c, r)
		return s, nil, err
	}
	asked := *r
	s, err := e.propose(ctx, c, r)
	if err != nil {
		if replay, failed := e.replay(ctx, c, &asked); replay != nil || failed != nil {
			return nil, replay, failed
		}
		return nil, nil, err
	}
	s.asked = &asked
	return s, nil, nil
}

// propose makes of a request what the first transaction stores.
func (e *Engine) propose(ctx context.Context, c *account.Caller, r *message.Request) (*submission, error) {
	if err := e.prepare(r); err != nil {
		return nil, err
	}
	now := e.o.Now()
	if err := r.CheckTimes(now); err != nil {
		return nil, err
	}
	r.Sandbox = e.simulated(c, r)
	m := message.New(r, c.Account.ID, c.ProjectID, now)
	m.Entitle(c.Account.Lang.T("mail.untitled"))
	if m.RequestedChannel == message.Auto && m.Wish.FallbackMs == 0 { // the account's own wish
		m.Wish.FallbackMs = c.Account.FallbackAfter.Milliseconds()
	}
	s := &submission{c: c, r: r, m: m, res: &Result{Message: m, Limit: c.Account.Plan.DailyLimit}}
	begun, err := e.place(ctx, s, now)
	if err == nil {
		err = e.room(ctx, s)
	}
	if err == nil {
		err = e.conceal(m)
	}
	if err != nil {
		e.abandon(s)
		return nil, err
	}
	m.Timeline = message.First(message.Step{At: db.Ms(now), Status: begun, Channel: m.Channel, Sender: m.SenderID})
	if m.Status == message.Sandbox && !m.Wish.Quiet && webhook.Tells(c.Account, now) {
		s.events = webhook.Simulated(m, now)
	}
	if r.IdempotencyKey != "" {
		s.fingerprint, s.landed = r.Fingerprint(e.print), make(chan struct{})
		e.flights.Store(m.ID, s.landed)
	}
	return s, nil
}

// place decides who sends a message and when: its place in the queue. It returns
// what the timeline begins with.
func (e *Engine) place(ctx context.Context, s *submission, now time.Time) (begun message.Status, err error) {
	m := s.m
	if s.r.Sandbox {
		m.Status = message.Sandbox
		return m.Status, nil
	}
	c, err := e.conditions(ctx, s.c.Account, m)
	if err != nil {
		return "", err
	}
	way, err := route.First(m, c)
	if err != nil {
		return "", err
	}
	m.Take(way)
	if !m.ScheduledAt.IsZero() {
		m.Status, m.DueAt = message.Scheduled, m.ScheduledAt
		return m.Status, nil
	}
	m.Status, m.DueAt = message.Queued, now                 // Run takes it up
	if slots := e.reserve(m.SenderID, 1); len(slots) == 1 { // or it is handed over at once
		s.slot = slots[0]
		m.Status, m.DueAt, m.Attempt = message.Sending, now.Add(e.lease()), 1
	}
	return message.Queued, nil
}

// prepare fills in a request's preset and checks the whole.
func (e *Engine) prepare(r *message.Request) error {
	if err := e.o.Presets.Apply(r); err != nil {
		return err
	}
	if err := r.Check(); err != nil || r.MediaURL == "" {
		return err
	}
	if err := e.o.Links.CheckLink(r.MediaURL); err != nil {
		return fault.InvalidRequest.On("mediaUrl").Say("mediaUrl can't be fetched from: %s.", err)
	}
	return nil
}

// simulated reports whether a request must reach no gateway (document 2 §5 and §6).
func (e *Engine) simulated(c *account.Caller, r *message.Request) bool {
	return r.Sandbox || e.o.Sandbox && !r.Real || c.Kind == account.Test
}
