package login

import (
	"context"
	"errors"
	"time"

	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/visible"
)

// Provider is the channel of a proof.
type Provider string

// The providers.
const (
	WhatsApp Provider = "whatsapp"
	Sandbox  Provider = "sandbox"
)

// Proof states that a person sent a login's words, or their number on request, to its receiver.
type Proof struct {
	SessionID   string
	Phone       phone.Number         // empty: unknown, and Person has the ID
	Person      gateway.PersonID     // the zero value: unknown
	Source      gateway.NumberSource // why Phone is known; empty: it was shown
	Gateway     string               // that delivered the message; empty: none
	At          time.Time            // of the message, for a number that was shared
	DisplayName string               // empty if unknown
	MessageID   string               // of the gateway; empty in the sandbox
	Receiver    string               // phone id of the number that got the message
	Words       string               // the message, or the part that holds the words
	Provider    Provider
	Caller      tenant.Caller
}

// errReplayed rolls back a proof whose message proved another session at the same time.
var errReplayed = errors.New("login: the message proved another session at the same time")

// Prove marks a session as verified by a phone. The same message, or the same phone
// again, is a duplicate and changes nothing. Another phone ends the login: one of the
// two people was tricked into sending the words (L68, L73 to L75).
func (s *Service) Prove(ctx context.Context, p Proof) (duplicate bool, err error) {
	result, err := s.prove(ctx, p, s.words().keys(p.Words))
	if err == nil && result.refusal != nil {
		err = result.refusal
	}
	return result.duplicate, err
}

// ProveByGateway is [Service.Prove] for a gateway's own call, and limits the logins of one phone.
func (s *Service) ProveByGateway(ctx context.Context, p Proof) (duplicate bool, err error) {
	key := string(p.Phone)
	if err := s.limits.checkProofs(key); err != nil {
		return false, err
	}
	if duplicate, err = s.Prove(ctx, p); err == nil && !duplicate {
		s.limits.countMessage(key, messageResult{accepted: true})
	}
	return duplicate, err
}

// proofResult is the result of a proof, and of its effects.
type proofResult struct {
	verified  bool // by this proof
	held      bool // until the number of the sender is known
	ask       bool // the held sender wasn't asked for the number yet
	duplicate bool
	refusal   *apierror.Error
	ended     bool // the refused proof ended a login, because it came from a second phone or another person
}

// prove takes a proof whose words have keys ([wordLists.keys]).
func (s *Service) prove(ctx context.Context, p Proof, keys []string) (result proofResult, err error) {
	pr := s.prepare(p, s.now())
	pr.keys = keys
	defer s.changed(p.SessionID) // after an error too, because the outcome of a commit can be unknown
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		result, pr.Proof, pr.notify = proofResult{}, p, false
		session, err := selectSession(&tx.Query, p.SessionID)
		if err != nil {
			return err
		}
		fits := false
		if result.refusal, fits = pr.checkBinding(session); !fits {
			return nil
		}
		result, err = s.decide(tx, pr, session)
		return err
	})
	if err == nil && pr.notify {
		s.notify()
	}
	if errors.Is(err, errReplayed) {
		return proofResult{refusal: apierror.AuthMessageReplayed.Err()}, nil
	}
	if err == nil {
		s.count(result)
	}
	return result, err
}

// decide proves, holds, or ends a session, or returns the reason that it does neither.
func (s *Service) decide(tx *db.Tx, p *preparedProof, session *Session) (result proofResult, err error) {
	if session.waits(p.now) {
		another, err := s.anotherSender(tx, p, session)
		switch {
		case err != nil:
			return result, err
		case another:
			return p.endConflict(tx, session, markSenderRefused)
		}
		known, err := s.confirm(tx, p)
		if err != nil {
			return result, err
		}
		if !known {
			if result, done, err := p.hold(tx, session); err != nil || done {
				return result, err
			}
		}
	}
	if p.Phone != "" {
		if result, err = p.endOtherPerson(tx, session); err != nil || result.ended {
			return result, err
		}
		verified, err := markVerified(tx, p, session.held)
		if err != nil {
			return result, err
		}
		if verified {
			return proofResult{verified: true}, p.writeVerified(tx, session)
		}
	}
	after, err := selectSession(&tx.Query, p.SessionID)
	switch {
	case err != nil:
		return result, err
	case after.held != session.held && after.waits(p.now): // another message has held it at the same time
		return s.decide(tx, p, after)
	}
	return p.writeNotVerified(tx, after)
}

// count counts the result of a stored proof.
func (s *Service) count(r proofResult) {
	if r.verified {
		s.metrics.Reached(metrics.LoginVerified)
	}
	if r.ended && r.refusal.Kind == apierror.AuthPhoneConflict {
		s.metrics.Reached(metrics.LoginConflict)
	}
}

// preparedProof is a proof with all values that are computed outside of the transaction.
type preparedProof struct {
	Proof
	keys            []string // keys of the words; see [wordLists.keys]
	now             time.Time
	nonce, codeHash string
	profileID       string
	eventID         string
	conflictID      string // of the event that the sender's ID has two numbers
	sender          sender
	asks            bool // Griot asks for numbers
	notify          bool // a webhook event or an ended sign-in was written
}

func (s *Service) prepare(p Proof, now time.Time) *preparedProof {
	nonce := id.Token(16)
	return &preparedProof{
		Proof: p, now: now, nonce: nonce, codeHash: seal.Hash(s.code(p.SessionID, nonce)),
		profileID: id.New(now), eventID: id.New(now), conflictID: id.New(now), sender: senderOf(&p.Person), asks: s.asks(),
	}
}

// checkBinding checks the receiver, and the words or the request for the number, regardless of the session's status.
func (p *preparedProof) checkBinding(session *Session) (refusal *apierror.Error, fits bool) {
	switch {
	case session == nil:
		return apierror.AuthLoginUnknown.Err(), false
	case session.Receiver != p.Receiver:
		return apierror.AuthReceiverMismatch.Err(), false
	case p.Source == gateway.NumberShared:
		if p.sender != session.held || session.askedAt.IsZero() {
			return apierror.AuthWordsMismatch.Err(), false
		}
	case !contains(p.keys, session.wordsKey):
		return apierror.AuthWordsMismatch.Err(), false
	}
	return nil, true
}

// endOtherPerson ends a login that waits for another person (id_token_hint of OpenID Connect). It does nothing if the
// login is past that step, because the proof is then a duplicate or comes from a second phone.
func (p *preparedProof) endOtherPerson(tx *db.Tx, session *Session) (proofResult, error) {
	if session.Subject == "" {
		return proofResult{}, nil
	}
	if same, err := holdPerson(tx, session, p); err != nil || same {
		return proofResult{}, err
	}
	ended, err := markSenderRefused(tx, session.ID, ByOtherPerson, p.now)
	if err != nil || !ended {
		return proofResult{}, err
	}
	result := proofResult{refusal: apierror.AuthPersonMismatch.Err(), ended: true}
	return result, tenant.Record(tx, p.event(session, tenant.LoginOtherPerson, result.refusal.Kind.Code))
}

// writeVerified writes the consequences of an accepted proof.
func (p *preparedProof) writeVerified(tx *db.Tx, session *Session) error {
	if p.MessageID != "" {
		first, err := insertProof(tx, p)
		if err != nil {
			return err
		}
		if !first {
			return errReplayed
		}
	}
	if err := upsertProfile(tx, session, p); err != nil {
		return err
	}
	verified := p.event(session, tenant.LoginVerified, "")
	if p.Source == gateway.NumberPaired || p.Source == gateway.NumberShared {
		verified.NumberSource = string(p.Source)
	}
	if err := tenant.Record(tx, verified); err != nil {
		return err
	}
	return p.writeWebhookEvent(tx, session, webhooks.LoginVerified, verified)
}

// writeWebhookEvent writes an event for the tenant's endpoint, if it had one when the login started.
func (p *preparedProof) writeWebhookEvent(tx *db.Tx, session *Session, typ string, of *tenant.Event) error {
	if !session.hasWebhook {
		return nil
	}
	p.notify = true
	return webhooks.Insert(tx, typ, of, webhooks.Detail{})
}

// writeNotVerified returns the reason that a session can't be verified. It ends the session if a second
// phone sent its words.
func (p *preparedProof) writeNotVerified(tx *db.Tx, session *Session) (result proofResult, err error) {
	switch status := session.Status; {
	case (status == Verified || status == Consumed) && p.hasProved(session):
		return proofResult{duplicate: true}, tenant.Record(tx, p.event(session, tenant.LoginDuplicate, ""))
	case status == Verified:
		return p.endConflict(tx, session, markTerminated)
	case status == Consumed:
		result = proofResult{refusal: apierror.AuthPhoneConflict.Err()}
		if p.notify, err = logout.Ended(tx, session.ID, p.now); err != nil {
			return result, err
		}
		return result, tenant.Record(tx, p.event(session, tenant.LoginConflict, result.refusal.Kind.Code))
	case session.StatusAt(p.now) == Expired:
		return proofResult{refusal: apierror.AuthLoginExpired.Err()}, nil
	case p.sender.known() && p.sender == session.held: // the message that holds it was delivered again
		return proofResult{held: true}, nil
	default: // provable, but not by this message
		return proofResult{refusal: apierror.AuthMessageReplayed.Err()}, nil
	}
}

// hasProved reports whether the sender has proved a session that is past that step.
func (p *preparedProof) hasProved(session *Session) bool {
	if p.Phone == "" {
		return p.sender == session.held
	}
	return p.Phone == session.Phone
}

// endConflict ends a session because a second person sent its words.
func (p *preparedProof) endConflict(tx *db.Tx, session *Session, end func(*db.Tx, string, EndReason, time.Time) (bool, error)) (proofResult, error) {
	result := proofResult{refusal: apierror.AuthPhoneConflict.Err(), ended: true}
	ended, err := end(tx, session.ID, BySecondPhone, p.now)
	if err != nil || !ended {
		return result, err
	}
	conflict := p.event(session, tenant.LoginConflict, result.refusal.Kind.Code)
	if err := tenant.Record(tx, conflict); err != nil {
		return result, err
	}
	return result, p.writeWebhookEvent(tx, session, webhooks.LoginConflict, conflict)
}

// conflict returns the event that a person has shared a number other than the one that is known.
func (p *preparedProof) conflict() *tenant.Event {
	return &tenant.Event{ID: p.conflictID, Type: tenant.IDConflict, At: p.now, Actor: tenant.ActorGateway + p.Gateway, ErrorCode: "id_has_two_numbers", Phone: p.Phone}
}

func (p *preparedProof) event(session *Session, typ, errorCode string) *tenant.Event {
	e := event(session, typ, tenant.ActorUser, p.now, p.Caller)
	e.ID, e.Phone, e.ErrorCode = p.eventID, p.Phone, errorCode
	return e
}

// name returns the display name without spaces and invisible characters around it. It is empty for a name that nobody can
// see, so that it doesn't replace a good one.
func (p *preparedProof) name() string { return visible.Trim(p.DisplayName) }
