package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/account"
)

// State returns a sender's state for display. It is disconnected if the gateway does not exist, or if the sender's
// attempts fail because of the sender or its gateway. It is connected if the gateway has no persistent connection.
func (s *Service) State(from account.Sender) gateway.ConnState { return s.Detail(from).State }

// Detail returns [Service.State] with its reason.
func (s *Service) Detail(from account.Sender) gateway.ConnDetail {
	return s.o.Gateways.Observed(from.Gateway, from.Channel, from.Address)
}

// connection returns the state that a sender's driver reports. Failed attempts do not change it, so that new attempts
// can show that the sender works again.
func (s *Service) connection(from account.Sender) gateway.ConnState {
	return s.o.Gateways.State(from.Gateway, from.Channel, from.Address)
}

// Pairer returns the pairer for a sender's number, and keeps its gateway open until done is called. It returns nil if
// the gateway's driver does not support pairing. done is never nil.
func (s *Service) Pairer(from account.Sender) (p gateway.Pairer, done func()) {
	g, done := s.o.Gateways.Use(from.Gateway)
	p, _ = g.(gateway.Pairer)
	return p, done
}

// Health contains the results of this process's attempts with a sender. The zero value means that there was no attempt yet.
type Health struct {
	AcknowledgedAt time.Time // time of the last message that its gateway accepted
	FailedAt       time.Time // time of the last attempt that failed because of the sender or its gateway
	Failures       int       // number of such failures since the last acknowledgment
	PausedUntil    time.Time // end of the circuit breaker's pause; zero: closed
}

// record counts an attempt. A refusal because of the message or the recipient does not affect the sender's health.
func (h *Health) record(now time.Time, class gateway.Class) {
	switch class {
	case "":
		h.AcknowledgedAt, h.Failures = now, 0
	case gateway.Permanent, gateway.Unreachable:
	case gateway.Temporary, gateway.RateLimited, gateway.Unknown, gateway.SenderDown:
		h.FailedAt = now
		h.Failures++
	}
}

// Health returns a sender's health on this node.
func (s *Service) Health(senderID string) Health {
	s.mu.Lock()
	w, past := s.workers[senderID], s.pastHealth[senderID]
	s.mu.Unlock()
	if w == nil {
		return past
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.health
	if w.breaker.Wait(s.o.Now()) > 0 {
		h.PausedUntil = w.breaker.Until
	}
	return h
}

// NodeID identifies this process among the nodes that send. It returns "" if there is only one.
func (s *Service) NodeID() string { return s.outbox.NodeID() }
