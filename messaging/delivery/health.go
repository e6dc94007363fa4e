package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/account"
)

// State returns a sender's state as it is shown to people. A gateway that doesn't exist is disconnected, and so is a
// sender whose attempts fail because of it or its gateway; a gateway without a persistent connection is connected.
func (s *Service) State(from account.Sender) gateway.ConnState { return s.Detail(from).State }

// Detail is [Service.State] with the reason.
func (s *Service) Detail(from account.Sender) gateway.ConnDetail {
	return s.o.Gateways.Observed(from.Gateway, from.Channel, from.Address)
}

// connection returns the state that a sender's driver reports. Failing attempts don't change it, so that new ones can
// show that the sender works again.
func (s *Service) connection(from account.Sender) gateway.ConnState {
	return s.o.Gateways.State(from.Gateway, from.Channel, from.Address)
}

// Pairer returns what links a sender's number to a phone, and keeps its gateway open until done is called; nil where the gateway's driver
// can't. done is never nil.
func (s *Service) Pairer(from account.Sender) (p gateway.Pairer, done func()) {
	g, done := s.o.Gateways.Use(from.Gateway)
	p, _ = g.(gateway.Pairer)
	return p, done
}

// Health is what the attempts of this process have shown about a sender. Its zero value: there was no attempt yet.
type Health struct {
	AcknowledgedAt time.Time // when its gateway took a message last
	FailedAt       time.Time // when an attempt failed last because of the sender or its gateway
	Failures       int       // of that kind since the last acknowledgment
	PausedUntil    time.Time // until when the circuit breaker is open; zero: it is closed
}

// record counts an attempt. A refusal because of the message or the recipient says nothing about the sender.
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

// NodeID names this process among those that deliver; "" where it is the only one.
func (s *Service) NodeID() string { return s.outbox.NodeID() }
