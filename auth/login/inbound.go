package login

import (
	"context"

	"griot/gateway"
	"griot/internal/phone"
)

// Handled is what became of an inbound message.
type Handled struct {
	// Taken: it belongs to a login and to nothing else. It must reach no inbox.
	Taken bool
	// Guess: it held words of the lists, but no session's.
	Guess bool
}

// HandleInbound proves the live session, if any, whose words a WhatsApp message
// to its receiver holds. A message is taken too when it repeats, within ten
// minutes, the words of a login that the same phone has proved. SMS is not taken:
// its sender is easily forged.
func (s *Service) HandleInbound(ctx context.Context, in gateway.Inbound) (Handled, error) {
	receiver, ok := s.receiverOf(&in)
	number, valid := phone.Parse(in.From)
	if !ok || !valid {
		return Handled{}, nil
	}
	keys := s.words.keys(in.Text)
	if len(keys) == 0 {
		return Handled{}, nil
	}
	sessions, err := selectByWords(s.db.Read(ctx), receiver.PhoneID, keys, s.now())
	if err != nil {
		return Handled{}, err
	}
	for _, sessionID := range sessions {
		v, err := s.prove(ctx, Proof{
			SessionID: sessionID, Phone: number, DisplayName: in.DisplayName, MessageID: in.ID,
			Receiver: receiver.PhoneID, Words: in.Text, Provider: WhatsApp,
		})
		if err != nil {
			return Handled{}, err
		}
		if v.refusal == nil || v.ended {
			return Handled{Taken: true}, nil
		}
	}
	return Handled{Guess: len(sessions) == 0}, nil
}

// Receives reports whether a message is to a receiver that lives on the gateway which brought it.
func (s *Service) Receives(in *gateway.Inbound) bool {
	_, ok := s.receiverOf(in)
	return ok
}

// receiverOf returns the receiver that a message was sent to. Another gateway than
// the receiver's own doesn't speak for it, whatever it claims.
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
