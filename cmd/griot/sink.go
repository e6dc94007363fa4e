package main

import (
	"context"

	"griot/gateway"
	"griot/messaging/inbox"
	"griot/messaging/send"
)

// sink is the one way in: words that open a login go to the auth house and never
// reach an inbox; everything else is the account's.
type sink struct {
	login  func(ctx context.Context, in gateway.Inbound) (taken bool, err error)
	inbox  *inbox.Inbox
	engine *send.Engine
}

// Inbound implements [gateway.Sink].
func (s *sink) Inbound(ctx context.Context, in gateway.Inbound) error {
	if taken, err := s.login(ctx, in); err != nil || taken {
		return err
	}
	return s.inbox.Receive(ctx, in)
}

// Receipt implements [gateway.Sink].
func (s *sink) Receipt(ctx context.Context, r gateway.Receipt) error { return s.engine.Receipt(ctx, r) }
