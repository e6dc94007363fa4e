package main

import (
	"context"
	"errors"
	"log/slog"

	"example.com/griot/auth"
	"example.com/griot/gateway"
)

// sink receives everything that comes in by the gateways. Words that open a login go to the auth service and never reach an
// inbox; everything else is the account's. A gateway may only report on its own numbers and messages; the rest is
// dropped, counted, and audited.
type sink struct {
	login     *auth.Service
	messaging gateway.Sink
	gateways  *gateway.Set
	log       *slog.Logger
}

// Inbound implements [gateway.Sink].
func (s *sink) Inbound(ctx context.Context, in gateway.Inbound) error {
	isLogin, loginErr := s.login.Inbound(ctx, in)
	if isLogin || loginErr != nil && !errors.Is(loginErr, gateway.ErrForeign) {
		return loginErr
	}
	err := s.messaging.Inbound(ctx, in)
	if !errors.Is(err, gateway.ErrForeign) {
		return err
	}
	if loginErr == nil { // to a receiver, and about no login
		return nil
	}
	s.drop(ctx, in.Gateway, in.To, "number_not_its_own")
	return nil
}

// Receipt implements [gateway.Sink].
func (s *sink) Receipt(ctx context.Context, r gateway.Receipt) error {
	err := s.messaging.Receipt(ctx, r)
	if !errors.Is(err, gateway.ErrForeign) {
		return err
	}
	s.drop(ctx, r.Gateway, "", "message_not_its_own")
	return nil
}

// drop counts what a gateway reported that is not its own. It writes one audit event a minute at most, so that a gateway
// can't fill the table.
func (s *sink) drop(ctx context.Context, gatewayName, number, code string) {
	if !s.gateways.RecordDropped(gatewayName, code) {
		return
	}
	if err := s.login.Foreign(ctx, gatewayName, number, code); err != nil {
		s.log.Error("writing an audit event", "gateway", gatewayName, "code", code, "err", err)
	}
}
