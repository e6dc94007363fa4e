package delivery

import (
	"time"

	"griot/gateway"
	"griot/messaging/account"
)

// State returns how a sender does, for people to see. A gateway that is not there
// is disconnected, and so is a sender whose attempts fail for its or its gateway's sake; one without a connection to speak of is connected.
func (s *Service) State(from account.Sender) gateway.ConnState {
	return s.o.Gateways.ObservedState(from.Gateway, from.Channel, from.Address)
}

// connection is what a sender's driver says: whether messages can be taken for it. Only they show that it works again.
func (s *Service) connection(from account.Sender) gateway.ConnState {
	return s.o.Gateways.State(from.Gateway, from.Channel, from.Address)
}

// Health is what the attempts of this process have shown of a sender: round trips,
// and not what its connection says of itself. Its zero value: there was none yet.
type Health struct {
	AcknowledgedAt time.Time // when its gateway took a message last
	FailedAt       time.Time // when an attempt failed last for the sender's or its gateway's sake
	Failures       int       // of that kind since the last acknowledgement
	RestsUntil     time.Time // it fails so often that it is left alone until then; zero: it isn't
}

// note counts an attempt. One that was refused for its message or its recipient says nothing of the sender.
func (h *Health) note(now time.Time, class gateway.Class) {
	switch class {
	case "":
		h.AcknowledgedAt, h.Failures = now, 0
	case gateway.Permanent, gateway.Unreachable:
	case gateway.Temporary, gateway.RateLimited, gateway.Unknown, gateway.SenderDown:
		h.FailedAt = now
		h.Failures++
	}
}

// Health returns how a sender does.
func (s *Service) Health(senderID string) Health {
	s.mu.Lock()
	w, past := s.workers[senderID], s.past[senderID]
	s.mu.Unlock()
	if w == nil {
		return past
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.health
	if w.breaker.Wait(s.o.Now()) > 0 {
		h.RestsUntil = w.breaker.Until
	}
	return h
}
