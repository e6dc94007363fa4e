package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/route"
)

// A Past is a past message with its events.
type Past struct {
	Caller    *account.Caller
	Request   *message.Request
	At        time.Time // the time at which it was accepted
	Events    []PastEvent
	AlsoStore func(*db.Tx, *message.Message) error // as in [Service.SubmitWith]; nil: nothing

	accepted *outbox.Acceptance
}

// A PastKind is the kind of a [PastEvent].
type PastKind int

// The kinds of past events.
const (
	PastTaken    PastKind = iota // its gateway was called and accepted it
	PastRefused                  // its gateway was called and did not accept it: Err
	PastReceipt                  // a delivery report: Status, and Err for a failure
	PastFallback                 // it was not delivered in time
	PastCanceled
	PastExpired
)

// A PastEvent is a past event of a message.
type PastEvent struct {
	Kind   PastKind
	At     time.Time
	Err    *gateway.Error
	Status message.Status
}

// Import stores past messages in the caller's transaction: the rows that [Service.Submit], the gateways' responses,
// and the receipts would have written at those times. All senders are treated as connected. No gateway is called, and
// no endpoint gets an event.
//
// A caller cannot use the live functions with a changed clock instead. [Service.Submit] calls the gateway, so the
// virtual phones would show each message. Retries, fallbacks, and expiry wait for timers of the workers. Each step is
// a separate transaction: about 2,300 for the history of `griot dev`, where Import is a part of one.
func (s *Service) Import(tx *db.Tx, list []*Past) error {
	items := make([]*outbox.Acceptance, len(list))
	for i, p := range list {
		if p.accepted == nil { // the transaction might run twice
			var err error
			if p.accepted, err = s.pastAcceptance(p); err != nil {
				return err
			}
		}
		items[i] = p.accepted
	}
	if err := s.outbox.Import(tx, items); err != nil {
		return err
	}
	for _, p := range list {
		if t := s.pastTransition(p); t != nil {
			if err := s.outbox.ImportTransition(tx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func pastConditions(a *account.Account) *route.Conditions {
	yes, no := func(account.Sender) bool { return true }, func(account.Sender) bool { return false }
	return &route.Conditions{Senders: a.Senders, Usable: yes, Avoid: no, TakesMedia: yes, OptedOut: func(gateway.Channel) bool { return false }}
}

// pastAcceptance returns the acceptance that [Service.newSubmission] creates for a current request. A sensitive
// message has no content, because it was erased when the message ended.
func (s *Service) pastAcceptance(p *Past) (*outbox.Acceptance, error) {
	a := p.Caller.Account
	m, err := s.draft(p.Caller, p.Request, p.At)
	if err != nil {
		return nil, err
	}
	m.SetDefaultSubject(a.Lang.T("mail.untitled"))
	if m.Status = message.Sandbox; !p.Request.Sandbox {
		if err := setFirstRoute(m, pastConditions(a)); err != nil {
			return nil, err
		}
	}
	m.Timeline = message.FirstStep(message.Step{At: db.Ms(p.At), Status: m.Status, Channel: m.Channel, Sender: m.SenderID})
	return &outbox.Acceptance{Message: m, RecipientCap: a.RecipientCap, HasAliases: a.HasAliases, AlsoStore: p.AlsoStore}, nil
}

// pastTransition returns all events of a message as one transition, or nil if there are none.
func (s *Service) pastTransition(p *Past) *outbox.Transition {
	accepted := p.accepted.Message
	if accepted.Status == message.Sandbox || len(p.Events) == 0 {
		return nil
	}
	m := *accepted
	t := &outbox.Transition{Before: accepted, Message: &m, HasRecipientCap: p.Caller.Account.RecipientCap > 0}
	for i := range p.Events {
		e := p.Events[i].event(&m)
		o := decide(&m, e, pastFacts(&m, e, &p.Events[i], p.Caller.Account))
		if o.message == nil {
			continue
		}
		t.Steps = append(t.Steps, o.steps...)
		t.RouteChanged = t.RouteChanged || o.routeChanged
		t.Refund = t.Refund || refunds(&m, o.message, e)
		if o, _ := reportedOptOut(&m, e, p.Events[i].At); o != nil {
			t.OptOut = o
		}
		m = *o.message
	}
	t.EraseContent = !m.Status.Open() && m.DueAt.IsZero()
	return t
}

// event returns the event for a decision about a message. A message whose gateway was called has started before.
func (p *PastEvent) event(m *message.Message) *event {
	if p.Kind == PastTaken || p.Kind == PastRefused {
		m.Status, m.Calls = message.Sending, m.Calls+1
	}
	kinds := map[PastKind]kind{PastTaken: acked, PastRefused: refused, PastReceipt: receipt, PastFallback: fallbackDue, PastCanceled: cancel, PastExpired: expired}
	e := &event{kind: kinds[p.Kind], routeIndex: m.RouteIndex, err: p.Err, status: p.Status, at: p.At}
	if p.Kind == PastTaken {
		e.ack.ProviderID = "vp_" + m.Ref()
	}
	return e
}

func pastFacts(m *message.Message, e *event, p *PastEvent, a *account.Account) *facts {
	f := &facts{now: p.At, deduplicates: true, unknownWait: DefaultUnknownWait}
	if m.RequestedChannel != message.Auto {
		return f
	}
	f.next = nextRoute(m, e, pastConditions(a))
	fallback := nextRoute(m, &event{kind: fallbackDue}, pastConditions(a))
	if due := p.At.Add(m.Options.FallbackAfter()); fallback != nil && m.Options.FallbackMs > 0 && due.Before(m.ExpiresAt) {
		f.fallback = due
	}
	return f
}
