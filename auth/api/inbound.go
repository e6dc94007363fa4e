package api

import (
	"context"

	"griot/auth/tenant"
	"griot/gateway"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/phone"
)

// Inbound takes a message from a person, if it belongs to a login. A message
// that isn't taken is somebody else's. [gateway.ErrForeign]: it is not to a
// receiver that lives on the gateway which brought it.
func (a *API) Inbound(ctx context.Context, in gateway.Inbound) (taken bool, err error) {
	if !a.logins.Receives(&in) {
		return false, gateway.ErrForeign
	}
	// Before the limits: who has signed in too often may still take it back.
	if taken, err := a.logins.Cancel(ctx, in); err != nil || taken {
		return taken, err
	}
	if !a.limits.messageAllowed(in.From) {
		return false, nil
	}
	handled, err := a.logins.HandleInbound(ctx, in)
	if err != nil {
		return false, err
	}
	a.limits.countMessage(in.From, handled.Accepted, handled.WrongWords)
	return handled.Accepted, nil
}

// Foreign writes an audit event: a gateway brought a message to a number, or a
// receipt of a message, that is not its own. number is the one that it claimed, if any.
func (a *API) Foreign(ctx context.Context, gatewayName, number, code string) error {
	now := a.now()
	to, _ := phone.Parse(number)
	e := &tenant.Event{ID: id.New(now), Type: tenant.GatewayRefused, At: now, Actor: tenant.ActorGateway + gatewayName, ErrorCode: code, Phone: to}
	return a.db.Write(ctx, func(tx *db.Tx) error { return tenant.Record(tx, e) })
}
