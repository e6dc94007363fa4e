package login

import (
	"context"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/whatsappid"
)

// Held is the reason why a login that waits is held up. It is empty for most.
type Held string

// The reasons.
const (
	NumberHidden      Held = "number_hidden"      // the words have arrived, but WhatsApp hides the number of their sender
	NumberRequested   Held = "number_requested"   // the same, and Griot has asked the sender for the number in WhatsApp
	MessageUnreadable Held = "message_unreadable" // a message that could not be read has arrived at the receiver, from anyone
)

// heldCode is a reason as it is cached: its index in [heldReasons].
type heldCode uint8

const (
	notHeld heldCode = iota
	numberHidden
	numberRequested
)

// heldReasons are the reasons that belong to one login.
var heldReasons = [...]Held{notHeld: "", numberHidden: NumberHidden, numberRequested: NumberRequested}

// sender is a person who is known by a WhatsApp ID. The zero value is nobody.
type sender struct{ portfolio, id string }

// senderOf returns the person whom a gateway reports; nobody if it reports no ID.
func senderOf(p *gateway.PersonID) sender {
	if !whatsappid.Is(p.ID) {
		return sender{}
	}
	return sender{p.Portfolio, p.ID}
}

func (s sender) known() bool { return s.id != "" }

func (s sender) person() *gateway.PersonID {
	return &gateway.PersonID{Portfolio: s.portfolio, ID: s.id}
}

// heldBy returns why a session that waits is held up, apart from unreadable messages.
func (s *Session) heldBy() heldCode {
	switch {
	case !s.held.known():
		return notHeld
	case s.requestedAt.IsZero():
		return numberHidden
	}
	return numberRequested
}

// heldOf returns why a session is held up at a time; empty after the proof.
func (s *Service) heldOf(session *Session, status Status) Held {
	if status != Pending && status != Activated {
		return ""
	}
	if h := session.heldBy(); h != notHeld {
		return heldReasons[h]
	}
	return s.unreadable.heldSince(session.Receiver, session.ExpiresAt.Add(-ProveTime).UnixMilli())
}

// anotherSender reports whether a session is held for a person other than the sender of a message. The sandbox stands
// in for everybody.
func (s *Service) anotherSender(tx *db.Tx, p *preparedProof, session *Session) (bool, error) {
	switch {
	case !session.held.known() || p.Provider == Sandbox || p.sender == session.held:
		return false, nil
	case p.Phone == "":
		return true, nil
	}
	same, err := s.identity.Hold(tx, session.held.person(), string(p.Phone))
	return !same, err
}

// confirm reports whether the number of a message is that of its sender. It learns a number that was shared, and keeps
// a pair that the number comes from until the transaction ends.
func (s *Service) confirm(tx *db.Tx, p *preparedProof) (bool, error) {
	switch {
	case p.Phone == "":
		return false, nil
	case p.Source == gateway.NumberShared:
		conflict, err := s.identity.Share(tx, &p.Person, string(p.Phone), p.At)
		if err != nil {
			return false, err
		}
		if conflict {
			if err := tenant.Record(tx, p.conflict()); err != nil {
				return false, err
			}
		}
	case p.Source != gateway.NumberPaired:
		return true, nil
	}
	return s.identity.Hold(tx, &p.Person, string(p.Phone))
}

// sandboxPerson stands in for a person whose number WhatsApp hides. No gateway has such a portfolio.
var sandboxPerson = gateway.PersonID{Portfolio: "sandbox:", ID: "ML.SANDBOX"}

// HoldSandbox holds a TEST session that waits, as if a person whose number WhatsApp hides had sent its words. If Griot
// asks for numbers, the session looks as if the person had been asked, but nothing is sent. A session that is held already
// stays as it is. The error of a session that no longer waits is that of [Service.Prove].
func (s *Service) HoldSandbox(ctx context.Context, session *Session, by tenant.Caller) error {
	if session.Mode != tenant.Test {
		return apierror.AuthSandboxLiveClient.Err()
	}
	_, err := s.Prove(ctx, Proof{SessionID: session.ID, Person: sandboxPerson, Provider: Sandbox, Receiver: session.Receiver, Words: session.Words, Caller: by})
	return err
}

// hold holds a session for the sender of its words, whose number is unknown. If done is false, the session no longer
// waits, another message holds it, or the sender has no ID, either.
func (p *preparedProof) hold(tx *db.Tx, session *Session) (result proofResult, done bool, err error) {
	p.Phone = ""
	switch {
	case !p.sender.known(): // a number that the gateway has not seen in the message, without anything to check it by
		return proofResult{}, false, nil
	case session.held == p.sender:
		return proofResult{held: true, ask: session.askedAt.IsZero()}, true, nil
	case p.Provider == Sandbox && session.held.known():
		return proofResult{held: true}, true, nil
	}
	asked := time.Time{}
	if p.Provider == Sandbox && p.asks {
		asked = p.now // nothing is sent
	}
	if done, err = markHeld(tx, p, asked); err != nil || !done {
		return proofResult{}, false, err
	}
	if p.MessageID != "" {
		if err := insertMessage(tx, p.MessageID, p.SessionID, p.now); err != nil {
			return proofResult{}, false, err
		}
	}
	return proofResult{held: true, ask: p.Provider != Sandbox}, true, tenant.Record(tx, p.event(session, tenant.LoginHeld, ""))
}
