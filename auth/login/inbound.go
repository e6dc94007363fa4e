package login

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
)

// InboundResult is the result of an inbound message.
type InboundResult struct {
	Accepted   bool // the message belongs to a login, and must not reach an inbox
	WrongWords bool // the message has words of the lists, but of no session
}

// HandleInbound proves the live session, if any, whose words a WhatsApp message to its
// receiver holds. If WhatsApp hides the number of the sender, and no pair has it, it
// holds the session for the sender. A number that the sender then shares on request
// proves the session. It also accepts a message that repeats, within ten minutes, the
// words of a login that the same phone has proved. It never accepts SMS, because its
// sender is easily forged.
func (s *Service) HandleInbound(ctx context.Context, in gateway.Inbound) (InboundResult, error) {
	receiver, ok := s.receiverOf(&in)
	number, _ := phone.Parse(in.From)
	if !ok || number == "" && !senderOf(&in.Person).known() {
		return InboundResult{}, nil
	}
	p := Proof{
		Phone: number, Person: in.Person, Source: in.Source, Gateway: in.Gateway, DisplayName: in.DisplayName, MessageID: in.ID, At: in.At,
		Receiver: receiver.PhoneID, Words: in.Text, Provider: WhatsApp,
	}
	if accepted, err := s.handleShared(ctx, &in, p); err != nil || accepted {
		return InboundResult{Accepted: accepted}, err
	}
	keys := s.words().keys(in.Text)
	if len(keys) == 0 {
		return InboundResult{}, nil
	}
	sessions, err := selectByWords(s.db.Read(ctx), receiver.PhoneID, keys, s.now())
	if err != nil {
		return InboundResult{}, err
	}
	accepted, err := s.proveOne(ctx, sessions, p)
	return InboundResult{Accepted: accepted, WrongWords: len(sessions) == 0}, err
}

// handleShared handles the answer to a request for a number. It does nothing with any other message.
func (s *Service) handleShared(ctx context.Context, in *gateway.Inbound, p Proof) (accepted bool, err error) {
	from := senderOf(&in.Person)
	if !s.asks() || in.Shared == "" || in.Type != gateway.InboundContacts || !from.known() {
		return false, nil
	}
	sessions, err := selectAsked(s.db.Read(ctx), p.Receiver, from, s.now())
	if err != nil {
		return false, err
	}
	shown := p.Phone
	if p.Phone, _ = phone.Parse(in.Shared); in.Source == gateway.NumberShown && shown != "" && shown != p.Phone {
		p.Phone = "" // a contradiction proves nothing
	}
	p.Source = gateway.NumberShared
	return s.proveOne(ctx, sessions, p)
}

// proveOne tries sessions until one accepts a message.
func (s *Service) proveOne(ctx context.Context, sessions []string, p Proof) (accepted bool, err error) {
	for _, p.SessionID = range sessions {
		result, err := s.prove(ctx, p)
		if err != nil {
			return false, err
		}
		if result.ask {
			s.ask(p.SessionID)
		}
		if result.verified || result.duplicate {
			s.confirmByReply(&p)
		}
		if result.refusal == nil || result.ended {
			return true, nil
		}
	}
	return false, nil
}

// Receives reports whether a message is to a receiver of the gateway that delivered it.
func (s *Service) Receives(in *gateway.Inbound) bool {
	_, ok := s.receiverOf(in)
	return ok
}

// receiverOf returns the receiver that a message was sent to. It ignores messages that
// a gateway other than the receiver's own delivers.
func (s *Service) receiverOf(in *gateway.Inbound) (Receiver, bool) {
	to, ok := phone.Parse(in.To)
	if !ok || in.Channel != gateway.WhatsApp || in.Gateway == "" {
		return Receiver{}, false
	}
	for _, r := range s.receivers {
		if n, ok := phone.Parse(r.Number); ok && n == to && r.Gateway == in.Gateway {
			return r, true
		}
	}
	return Receiver{}, false
}
