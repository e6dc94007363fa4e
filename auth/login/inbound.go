package login

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
)

// inboundMessage is a WhatsApp message to a receiver.
type inboundMessage struct {
	*gateway.Inbound
	receiver Receiver
	number   phone.Number // empty: hidden, or not a number
	from     sender       // nobody: the gateway reports no ID
}

// anonymous reports whether neither the number nor the ID of the sender is known.
func (m *inboundMessage) anonymous() bool { return m.number == "" && !m.from.known() }

// messageResult is the result of a message that didn't cancel.
type messageResult struct {
	accepted   bool // it belongs to a login
	wrongWords bool // it has words of the lists, but of no session
}

// Inbound handles a message from a person and reports whether it belongs to a login, so that it must not reach an inbox.
// The message cancels logins ([Service.cancel]), or proves one. A message in a format that Griot can't read makes the
// logins at its receiver say so. A reaction does nothing: an application can send any text as one, and people don't see it
// as a message. Inbound returns [gateway.ErrForeign] if the gateway that delivered the message doesn't own the receiver.
// It never accepts SMS, because its sender is easily forged (L77).
func (s *Service) Inbound(ctx context.Context, in gateway.Inbound) (taken bool, err error) {
	receiver, ok := s.receiverOf(in.Gateway, in.Channel, in.To)
	if !ok {
		return false, gateway.ErrForeign
	}
	if in.Type == gateway.InboundReaction {
		return false, nil
	}
	m := &inboundMessage{Inbound: &in, receiver: receiver, from: senderOf(&in.Person)}
	m.number, _ = phone.Parse(in.From)
	// Before the limits: a person who has signed in too often can still cancel.
	if accepted, err := s.cancel(ctx, m); err != nil || accepted {
		return accepted, err
	}
	key := in.Key()
	if key == "" || !s.limits.messageAllowed(key) { // nothing is counted for nobody
		return false, nil
	}
	result, err := s.proveByMessage(ctx, m)
	if err != nil {
		return false, err
	}
	s.limits.countMessage(key, result)
	if in.Type == gateway.InboundOther && !result.accepted {
		return false, s.markUnreadable(ctx, receiver, key)
	}
	return result.accepted, nil
}

// Change handles a report about a person. taken reports whether it is about a receiver of the gateway that delivered it.
func (s *Service) Change(ctx context.Context, c gateway.Change) (taken bool, err error) {
	receiver, ok := s.receiverOf(c.Gateway, c.Channel, c.To)
	if !ok || c.Kind != gateway.MessageUnreadable {
		return ok, nil
	}
	from := &gateway.Inbound{Channel: c.Channel, From: c.From, Person: c.Person}
	if key := from.Key(); key != "" && s.limits.messageAllowed(key) {
		err = s.markUnreadable(ctx, receiver, key)
	}
	return true, err
}

// proveByMessage proves the live session, if any, whose words a message holds. If
// WhatsApp hides the number of the sender, and no pair has it, it holds the session for
// the sender. A number that the sender then shares on request proves the session. It
// also accepts a message that repeats, within ten minutes, the words of a login that the
// same phone has proved.
func (s *Service) proveByMessage(ctx context.Context, m *inboundMessage) (messageResult, error) {
	if m.anonymous() {
		return messageResult{}, nil
	}
	p := Proof{
		Phone: m.number, Person: m.Person, Source: m.Source, Gateway: m.Gateway, DisplayName: m.DisplayName, MessageID: m.ID, At: m.At,
		Receiver: m.receiver.PhoneID, Words: m.Text, Provider: WhatsApp,
	}
	keys := s.words().keys(m.Text)
	if accepted, err := s.proveByShared(ctx, m, p, keys); err != nil || accepted || len(keys) == 0 {
		return messageResult{accepted: accepted}, err
	}
	sessions, err := selectByWords(s.db.Read(ctx), m.receiver.PhoneID, keys, s.now())
	if err != nil {
		return messageResult{}, err
	}
	accepted, err := s.proveOne(ctx, sessions, p, keys)
	return messageResult{accepted: accepted, wrongWords: len(sessions) == 0}, err
}

// proveByShared handles the answer to a request for a number. It does nothing with any other message.
func (s *Service) proveByShared(ctx context.Context, m *inboundMessage, p Proof, keys []string) (accepted bool, err error) {
	if !s.asks() || m.Shared == "" || m.Type != gateway.InboundContacts || !m.from.known() {
		return false, nil
	}
	sessions, err := selectAsked(s.db.Read(ctx), p.Receiver, m.from, s.now())
	if err != nil {
		return false, err
	}
	shown := p.Phone
	if p.Phone, _ = phone.Parse(m.Shared); m.Source == gateway.NumberShown && shown != "" && shown != p.Phone {
		p.Phone = "" // a contradiction proves nothing
	}
	p.Source = gateway.NumberShared
	return s.proveOne(ctx, sessions, p, keys)
}

// proveOne tries sessions until one accepts a message, whose words have keys.
func (s *Service) proveOne(ctx context.Context, sessions []string, p Proof, keys []string) (accepted bool, err error) {
	for _, p.SessionID = range sessions {
		result, err := s.prove(ctx, p, keys)
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

// receiverOf returns the receiver of a message to a number. It ignores messages that a gateway other than the receiver's
// own delivers.
func (s *Service) receiverOf(gatewayName string, channel gateway.Channel, number string) (Receiver, bool) {
	to, ok := phone.Parse(number)
	if !ok || channel != gateway.WhatsApp || gatewayName == "" {
		return Receiver{}, false
	}
	for _, r := range s.receivers {
		if n, ok := phone.Parse(r.Number); ok && n == to && r.Gateway == gatewayName {
			return r, true
		}
	}
	return Receiver{}, false
}
