package api

import (
	"context"

	"griot/gateway"
)

// Inbound takes a message from a person, if it belongs to a login. A message
// that isn't taken is somebody else's.
func (a *API) Inbound(ctx context.Context, in gateway.Inbound) (taken bool, err error) {
	// Before the limits: who has signed in too often may still take it back.
	if taken, err := a.logins.Cancel(ctx, in); err != nil || taken {
		return taken, err
	}
	if !a.limits.mayProve(in.From) {
		return false, nil
	}
	handled, err := a.logins.HandleInbound(ctx, in)
	if err != nil {
		return false, err
	}
	a.limits.message(in.From, handled.Taken, handled.Guess)
	return handled.Taken, nil
}
