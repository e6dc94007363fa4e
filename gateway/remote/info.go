package remote

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/setting"
)

// ensureInfo fetches the gateway's info, unless the last one is newer than twice info_interval.
func (s *sender) ensureInfo(ctx context.Context) *gateway.Error {
	if s.infoIsFresh() {
		return nil
	}
	select {
	case s.fetching <- struct{}{}:
		defer func() { <-s.fetching }()
	case <-ctx.Done():
		return &gateway.Error{Class: gateway.Temporary, Code: "timeout", Err: ctx.Err()}
	}
	if s.infoIsFresh() { // another Send has fetched it in the meantime
		return nil
	}
	return s.fetchInfo(ctx)
}

func (s *sender) infoIsFresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.infoAt.IsZero() && s.now().Sub(s.infoAt) < 2*setting.Seconds(s.settings.InfoInterval)
}

// invalidateInfo makes the next Send fetch the info, because the gateway might have been replaced.
func (s *sender) invalidateInfo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.infoAt = time.Time{}
}

// fetchInfo fetches the gateway's info. It submits nothing, so no failure is Unknown.
func (s *sender) fetchInfo(ctx context.Context) *gateway.Error {
	at := s.now()
	var info Info
	answer, failure := s.call(ctx, http.MethodGet, "/info", nil)
	if failure == nil {
		failure = readAnswer(answer, &info)
	}
	if failure == nil {
		failure = info.problem()
	}
	if failure != nil && failure.Class.HandedOver() {
		failure.Class = gateway.Temporary
	}
	if failure != nil && ctx.Err() != nil { // the end of the caller's context is not a failure of the gateway
		return failure
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = failure != nil
	if failure != nil {
		s.infoAt = time.Time{}
		return failure
	}
	s.info, s.infoAt = &info, at
	for _, c := range info.Connections {
		c.At = at
		s.setState(c)
	}
	return nil
}

// problem returns the reason why the gateway cannot be used, or nil.
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

// Run implements [gateway.Runner] by fetching the info regularly.
func (s *sender) Run(ctx context.Context) error {
	tick := time.NewTicker(setting.Seconds(s.settings.InfoInterval))
	defer tick.Stop()
	for {
		select {
		case s.fetching <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		failure := s.fetchInfo(ctx)
		<-s.fetching
		if failure == nil {
			s.reportHealth(nil)
		} else if ctx.Err() == nil {
			s.reportHealth(failure)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// State implements [gateway.Connector].
func (s *sender) State(channel gateway.Channel, from string) gateway.ConnDetail {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch reported, ok := s.states[connection{channel, from}]; {
	case s.down:
		return gateway.ConnDetail{State: gateway.Disconnected, Reason: "provider_unavailable"}
	case s.info == nil:
		return gateway.ConnDetail{State: gateway.Connecting}
	case ok:
		return gateway.ConnDetail{State: reported.State, Reason: reported.Reason, Until: reported.Until.UTC()}
	}
	if s.info.Pairing { // the info lists all numbers of the gateway
		return gateway.ConnDetail{State: gateway.Pairing, Reason: "not_paired"}
	}
	return gateway.ConnDetail{State: gateway.Connected}
}

// maxStates is the maximum number of connections whose state is stored.
const maxStates = 10_000

// setState stores a connection's state, unless a newer one is known or it is invalid. The caller holds mu.
func (s *sender) setState(c ConnectionEvent) {
	key := connection{c.Channel, c.From}
	known, ok := s.states[key]
	if !c.valid() || ok && known.At.After(c.At) || !ok && len(s.states) >= maxStates {
		return
	}
	s.states[key] = c
}

// reasonForm limits a gateway's reason for a state, because it is shown to people and included in events.
var reasonForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func (c *ConnectionEvent) valid() bool {
	if c.Reason != "" && !reasonForm.MatchString(c.Reason) {
		return false
	}
	switch c.State {
	case gateway.Disconnected, gateway.Pairing, gateway.Connecting, gateway.Connected, gateway.Restricted, gateway.LoggedOut, gateway.Banned, gateway.Outdated:
		return true
	}
	return false
}
