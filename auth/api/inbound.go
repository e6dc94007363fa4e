package api

import (
	"context"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// Inbound handles a message from a person and reports whether it belongs to a login. A
// reaction to a message never does. Inbound returns [gateway.ErrForeign] if the gateway that delivered the message doesn't own
// the receiver.
func (a *API) Inbound(ctx context.Context, in gateway.Inbound) (taken bool, err error) {
	if !a.logins.Receives(&in) {
		return false, gateway.ErrForeign
	}
	if in.Type == gateway.InboundReaction { // an application can send any text as one, and people don't see it as a message
		return false, nil
	}
	// Before the limits: a person who has signed in too often can still cancel.
	if taken, err := a.logins.Cancel(ctx, in); err != nil || taken {
		return taken, err
	}
	key := in.Key()
	if key == "" || !a.limits.messageAllowed(key) { // nothing is counted for nobody
		return false, nil
	}
	handled, err := a.logins.HandleInbound(ctx, in)
	if err != nil {
		return false, err
	}
	a.limits.countMessage(key, handled.Accepted, handled.WrongWords)
	if in.Type == gateway.InboundOther && !handled.Accepted {
		return false, a.unreadable(ctx, &in)
	}
	return handled.Accepted, nil
}

// Change handles a report about a person. taken reports whether it is about a receiver of the gateway that delivered it.
func (a *API) Change(ctx context.Context, c gateway.Change) (taken bool, err error) {
	in := &gateway.Inbound{Gateway: c.Gateway, Channel: c.Channel, From: c.From, Person: c.Person, To: c.To}
	if !a.logins.Receives(in) {
		return false, nil
	}
	if key := in.Key(); c.Kind == gateway.MessageUnreadable && key != "" && a.limits.messageAllowed(key) {
		err = a.unreadable(ctx, in)
	}
	return true, err
}

// NumberChanged stores a report that a person has another number in the tenants' profiles; see
// [login.Service.NumberChanged].
func (a *API) NumberChanged(ctx context.Context, c *gateway.Change) error {
	return a.logins.NumberChanged(ctx, c)
}

// unreadable makes the logins at a message's receiver ask for their words once more. A person can cause this only as
// often as they can guess words.
func (a *API) unreadable(ctx context.Context, in *gateway.Inbound) error {
	if ok, _ := a.limits.unreadable.Allow(in.Key()); !ok {
		return nil
	}
	return a.logins.MarkUnreadable(ctx, in)
}

// Foreign writes an audit event: a gateway delivered a message to a number, or a receipt
// of a message, that belongs to another gateway. number is the number in the report, if
// any.
func (a *API) Foreign(ctx context.Context, gatewayName, number, code string) error {
	return a.recordGateway(ctx, tenant.GatewayRefused, gatewayName, number, code)
}

// IDConflict writes an audit event: a gateway reported a WhatsApp ID with a number other than
// before.
func (a *API) IDConflict(ctx context.Context, gatewayName, number string) error {
	return a.recordGateway(ctx, tenant.IDConflict, gatewayName, number, "id_has_two_numbers")
}

// recordGateway writes an audit event of a gateway, which belongs to no tenant.
func (a *API) recordGateway(ctx context.Context, typ, gatewayName, number, code string) error {
	now := a.now()
	about, _ := phone.Parse(number)
	e := &tenant.Event{ID: id.New(now), Type: typ, At: now, Actor: tenant.ActorGateway + gatewayName, ErrorCode: code, Phone: about}
	return a.db.Write(ctx, func(tx *db.Tx) error { return tenant.Record(tx, e) })
}
