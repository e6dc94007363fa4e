package remote

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"griot/gateway"
)

// learn makes sure that what the gateway can do is known, and not older than twice the interval at which Run asks.
func (s *sender) learn(ctx context.Context) *gateway.Error {
	if s.knows() {
		return nil
	}
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return &gateway.Error{Class: gateway.Temporary, Code: "timeout", Err: ctx.Err()}
	}
	if s.knows() { // another has asked meanwhile
		return nil
	}
	return s.ask(ctx)
}

func (s *sender) knows() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.asked.IsZero() && s.now().Sub(s.asked) < 2*seconds(s.settings.InfoInterval)
}

// forget makes the next message ask first: the gateway may have been replaced.
func (s *sender) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Time{}
}

// ask asks the gateway what it can do. Nothing is handed over by that, so that no failure is unknown.
func (s *sender) ask(ctx context.Context) *gateway.Error {
	at := s.now()
	var info Info
	answer, failure := s.call(ctx, http.MethodGet, "/info", nil)
	if failure == nil {
		failure = read(answer, &info)
	}
	if failure == nil {
		failure = info.problem()
	}
	if failure != nil && failure.Class.HandedOver() {
		failure.Class = gateway.Temporary
	}
	if failure != nil && ctx.Err() != nil { // whoever asked went away: that says nothing about the gateway
		return failure
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = failure != nil
	if failure != nil {
		s.asked = time.Time{}
		return failure
	}
	s.info, s.asked = &info, at
	for _, c := range info.Connections {
		c.At = at
		s.note(c)
	}
	return nil
}

// problem says why a gateway can't be used.
func (i *Info) problem() *gateway.Error {
	if i.Protocol != Protocol {
		return &gateway.Error{Class: gateway.SenderDown, Code: "protocol_unsupported", Err: fmt.Errorf("the gateway speaks version %d", i.Protocol)}
	}
	const day = 24 * 60 * 60 * 1000
	if i.Media != "" && i.Media != MediaByBytes && i.Media != MediaByLink ||
		i.Pace.Sender < 0 || i.Pace.Sender > day || i.Pace.Pair < 0 || i.Pace.Pair > day || i.Pace.Burst < 0 {
		return &gateway.Error{Class: gateway.SenderDown, Code: "gateway_misconfigured"}
	}
	return nil
}

// Run implements [gateway.Runner]: it keeps what is known of the gateway fresh.
func (s *sender) Run(ctx context.Context) error {
	tick := time.NewTicker(seconds(s.settings.InfoInterval))
	defer tick.Stop()
	for {
		select {
		case s.asking <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		failure := s.ask(ctx)
		<-s.asking
		if failure == nil {
			s.connected(nil)
		} else if ctx.Err() == nil {
			s.connected(failure)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// State implements [gateway.Connector].
func (s *sender) State(channel gateway.Channel, from string) gateway.ConnState {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch reported, ok := s.states[connection{channel, from}]; {
	case s.down:
		return gateway.Disconnected
	case s.info == nil:
		return gateway.Connecting
	case ok:
		return reported.State
	}
	return gateway.Connected
}

// mostStates bounds the connections that are remembered.
const mostStates = 10_000

// note remembers a connection's state, unless something newer is known. The caller holds mu.
func (s *sender) note(c ConnectionEvent) {
	key := connection{c.Channel, c.From}
	known, ok := s.states[key]
	if !isState(c.State) || ok && known.At.After(c.At) || !ok && len(s.states) >= mostStates {
		return
	}
	s.states[key] = c
}

func isState(state gateway.ConnState) bool {
	switch state {
	case gateway.Disconnected, gateway.Pairing, gateway.Connecting, gateway.Connected, gateway.Restricted, gateway.LoggedOut, gateway.Banned, gateway.Outdated:
		return true
	}
	return false
}
