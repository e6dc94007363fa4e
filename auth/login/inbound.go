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
// receiver holds. It also accepts a message that repeats, within ten minutes, the words
// of a login that the same phone has proved. It never accepts SMS, because its sender
// is easily forged.
func (s *Service) HandleInbound(ctx context.Context, in gateway.Inbound) (InboundResult, error) {
	receiver, ok := s.receiverOf(&in)
	number, valid := phone.Parse(in.From)
	if !ok || !valid {
		return InboundResult{}, nil
	}
	keys := s.words().keys(in.Text)
	if len(keys) == 0 {
		return InboundResult{}, nil
	}
	sessions, err := selectByWords(s.db.Read(ctx), receiver.PhoneID, keys, s.now())
	if err != nil {
		return InboundResult{}, err
	}
	for _, sessionID := range sessions {
		result, err := s.prove(ctx, Proof{
			SessionID: sessionID, Phone: number, DisplayName: in.DisplayName, MessageID: in.ID,
			Receiver: receiver.PhoneID, Words: in.Text, Provider: WhatsApp,
		})
		if err != nil {
			return InboundResult{}, err
		}
		if result.refusal == nil || result.ended {
			return InboundResult{Accepted: true}, nil
		}
	}
	return InboundResult{WrongWords: len(sessions) == 0}, nil
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
