package main

import (
	"context"
	"errors"
	"log/slog"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/config"
	"example.com/griot/internal/phone"
)

// sink receives all reports of the gateways. It first learns from each whose number belongs to which WhatsApp ID, and
// completes messages without a number. Messages that belong to a login never reach an inbox, and all others belong to the
// account. A gateway can only report on its own numbers and messages. Other reports are dropped, counted, and audited.
type sink struct {
	identities *identity.Store
	logins     *login.Service
	tenants    *tenant.Store // for audit events
	messaging  gateway.Sink
	gateways   *gateway.Set
	receivers  []config.Receiver // to which people send logins
	numberFor  func(ctx context.Context, gatewayName string, channel gateway.Channel, receivers []string) (string, error)
	log        *slog.Logger
}

// Inbound implements [gateway.Sink].
func (s *sink) Inbound(ctx context.Context, in gateway.Inbound) (err error) {
	if in.To == "" {
		if in.To, err = s.numberOf(ctx, in.Gateway, in.Channel); err != nil {
			return err
		}
	}
	conflict, err := s.identities.Inbound(ctx, &in)
	if err := s.learned(ctx, conflict, err, in.Gateway, in.From); err != nil {
		return err
	}
	isLogin, loginErr := s.logins.Inbound(ctx, in)
	if isLogin || loginErr != nil && !errors.Is(loginErr, gateway.ErrForeign) {
		return loginErr
	}
	err = s.messaging.Inbound(ctx, in)
	if !errors.Is(err, gateway.ErrForeign) {
		return err
	}
	if loginErr == nil { // to a receiver, and not about a login
		return nil
	}
	s.drop(ctx, in.Gateway, in.To, "number_not_its_own")
	return nil
}

// numberOf returns the receiving number of a report whose gateway didn't name it, if it can be only one account's.
func (s *sink) numberOf(ctx context.Context, gatewayName string, channel gateway.Channel) (string, error) {
	var receivers []string
	for _, r := range s.receivers {
		if n, ok := phone.Parse(r.Number); ok && r.Gateway == gatewayName && channel == gateway.WhatsApp {
			receivers = append(receivers, string(n))
		}
	}
	to, err := s.numberFor(ctx, gatewayName, channel, receivers)
	if err == nil && to != "" {
		s.log.Warn("a report doesn't name our number: the gateway's own decides", "gateway", gatewayName, "channel", string(channel))
	}
	return to, err
}

// Receipt implements [gateway.Sink].
func (s *sink) Receipt(ctx context.Context, r gateway.Receipt) error {
	conflict, err := s.identities.Receipt(ctx, &r)
	if err := s.learned(ctx, conflict, err, r.Gateway, r.Recipient); err != nil {
		return err
	}
	err = s.messaging.Receipt(ctx, r)
	if !errors.Is(err, gateway.ErrForeign) {
		return err
	}
	s.drop(ctx, r.Gateway, "", "message_not_its_own")
	return nil
}

// Change implements [gateway.Sink].
func (s *sink) Change(ctx context.Context, c gateway.Change) (err error) {
	if c.To == "" {
		if c.To, err = s.numberOf(ctx, c.Gateway, c.Channel); err != nil {
			return err
		}
	}
	conflict, err := s.identities.Change(ctx, &c)
	if err := s.learned(ctx, conflict, err, c.Gateway, c.From); err != nil {
		return err
	}
	taken, err := s.logins.Change(ctx, c)
	if err != nil {
		return err
	}
	switch err = s.messaging.Change(ctx, c); {
	case errors.Is(err, gateway.ErrForeign) && !taken:
		s.drop(ctx, c.Gateway, c.To, "number_not_its_own")
		return nil
	case err != nil && !errors.Is(err, gateway.ErrForeign):
		return err
	}
	return s.logins.NumberChanged(ctx, &c) // at whichever number of ours, because a person's number is the same at all
}

// learned writes an audit event if a report has contradicted what was known of an ID. err is the error of learning.
func (s *sink) learned(ctx context.Context, conflict bool, err error, gatewayName, number string) error {
	if err != nil || !conflict {
		return err
	}
	s.log.Warn("a WhatsApp ID was reported with two numbers, so it identifies no one", "gateway", gatewayName)
	return s.tenants.IDConflict(ctx, gatewayName, number)
}

// drop counts a report that is not about the gateway's own numbers or messages. It writes at most one audit event per
// minute, so that a gateway can't fill the table.
func (s *sink) drop(ctx context.Context, gatewayName, number, code string) {
	if !s.gateways.RecordDropped(gatewayName, code) {
		return
	}
	if err := s.tenants.GatewayRefused(ctx, gatewayName, number, code); err != nil {
		s.log.Error("writing an audit event", "gateway", gatewayName, "code", code, "err", err)
	}
}
