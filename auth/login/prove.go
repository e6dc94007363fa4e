package login

import (
	"context"
	"errors"
	"strings"
	"time"

	"griot/auth/events"
	"griot/auth/tenant"
	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/id"
	"griot/internal/phone"
	"griot/internal/seal"
)

// Provider is what a proof came through.
type Provider string

// The providers.
const (
	WhatsApp Provider = "whatsapp"
	Sandbox  Provider = "sandbox"
)

// Proof says that a phone sent a login's words to its receiver.
type Proof struct {
	SessionID   string
	Phone       phone.Number
	DisplayName string // empty when it isn't known
	MessageID   string // of the gateway; empty in the sandbox
	Receiver    string // phone id of the number that got the message
	Words       string // the message, or the part that holds the words
	Provider    Provider
	Caller      tenant.Caller
}

// errReplayed undoes a proof whose message proved another session in the same instant.
var errReplayed = errors.New("login: the message proved another session at the same time")

// Prove marks a session as verified by a phone. The same message, or the same
// phone again, is a duplicate and changes nothing. Another phone ends the login:
// one of the two was made to send words that it was given (DESIGN §7).
func (s *Service) Prove(ctx context.Context, p Proof) (duplicate bool, err error) {
	v, err := s.prove(ctx, p)
	if err == nil && v.refusal != nil {
		err = v.refusal
	}
	return v.duplicate, err
}

// verdict is what became of a proof.
type verdict struct {
	duplicate bool
	refusal   *fault.Error
	ended     bool // the refused proof ended a login, as a second phone does
}

func (s *Service) prove(ctx context.Context, p Proof) (v verdict, err error) {
	now := s.now()
	pr := s.prepare(p, now)
	defer s.moved(p.SessionID) // whatever came of it: a commit may have an unknown outcome
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		v, pr.told = verdict{}, false
		session, err := selectSession(&tx.Query, p.SessionID)
		if err != nil {
			return err
		}
		fits := false
		if v.refusal, fits = pr.fits(session); !fits {
			return nil
		}
		moved, err := markVerified(tx, pr)
		if err != nil {
			return err
		}
		if moved {
			return pr.follow(tx, session)
		}
		if session, err = selectSession(&tx.Query, p.SessionID); err != nil { // as it is now that the step was refused
			return err
		}
		v, err = pr.judge(tx, session)
		return err
	})
	if err == nil && pr.told {
		s.told()
	}
	if errors.Is(err, errReplayed) {
		return verdict{refusal: fault.AuthMessageReplayed.Err()}, nil
	}
	return v, err
}

// prepared is a proof with everything that is made outside of the transaction.
type prepared struct {
	Proof
	keys            []string // what the words may mean
	now             time.Time
	nonce, codeHash string
	profileID       string
	eventID         string
	told            bool // the tenant is
}

func (s *Service) prepare(p Proof, now time.Time) *prepared {
	nonce := id.Token(16)
	return &prepared{
		Proof: p, keys: s.words.keys(p.Words), now: now, nonce: nonce, codeHash: seal.Hash(s.code(p.SessionID, nonce)),
		profileID: id.New(now), eventID: id.New(now),
	}
}

// fits checks what binds a proof to a session, whatever the session's status.
func (p *prepared) fits(session *Session) (refusal *fault.Error, fits bool) {
	switch {
	case session == nil:
		return fault.AuthLoginUnknown.Err(), false
	case session.Receiver != p.Receiver:
		return fault.AuthReceiverMismatch.Err(), false
	case !contains(p.keys, session.wordsKey):
		return fault.AuthWordsMismatch.Err(), false
	}
	return nil, true
}

// follow writes what follows from a proof that was accepted.
func (p *prepared) follow(tx *db.Tx, session *Session) error {
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
	if err := tenant.Record(tx, verified); err != nil {
		return err
	}
	return p.tell(tx, session, events.LoginVerified, verified)
}

// tell tells the tenant, if it is to be told of the login.
func (p *prepared) tell(tx *db.Tx, session *Session, typ string, of *tenant.Event) error {
	if !session.told {
		return nil
	}
	p.told = true
	return events.Insert(tx, typ, of, events.Detail{})
}

// judge says why a session can't be verified, and ends it when a second phone sent its words.
func (p *prepared) judge(tx *db.Tx, session *Session) (verdict, error) {
	switch status := session.Status; {
	case (status == Verified || status == Consumed) && session.Phone == p.Phone:
		return verdict{duplicate: true}, tenant.Record(tx, p.event(session, tenant.LoginDuplicate, ""))
	case status == Verified:
		v := verdict{refusal: fault.AuthPhoneConflict.Err(), ended: true}
		killed, err := markKilled(tx, session.ID, BySecondPhone, p.now)
		if err != nil || !killed {
			return v, err
		}
		conflict := p.event(session, tenant.LoginConflict, v.refusal.Kind.Code)
		if err := tenant.Record(tx, conflict); err != nil {
			return v, err
		}
		return v, p.tell(tx, session, events.LoginConflict, conflict)
	case status == Consumed:
		v := verdict{refusal: fault.AuthPhoneConflict.Err()}
		return v, tenant.Record(tx, p.event(session, tenant.LoginConflict, v.refusal.Kind.Code))
	case session.StatusAt(p.now) == Expired:
		return verdict{refusal: fault.AuthLoginExpired.Err()}, nil
	default: // it could be proved, but not by this message
		return verdict{refusal: fault.AuthMessageReplayed.Err()}, nil
	}
}

func (p *prepared) event(session *Session, typ, errorCode string) *tenant.Event {
	e := event(session, typ, tenant.ActorUser, p.now, p.Caller)
	e.ID, e.Phone, e.ErrorCode = p.eventID, p.Phone, errorCode
	return e
}

// name returns the display name without the spaces around it.
func (p *prepared) name() string { return strings.TrimSpace(p.DisplayName) }
