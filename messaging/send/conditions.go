package send

import (
	"context"

	"griot/gateway"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/optout"
	"griot/messaging/route"
)

// conditions are what the route of a message depends on now.
func (e *Engine) conditions(ctx context.Context, a *account.Account, m *message.Message) (*route.Conditions, error) {
	c := &route.Conditions{
		Senders: a.Senders, Usable: e.Usable, Carries: e.carriesMedia,
		Avoid:    func(s account.Sender) bool { return e.traffic.rests(s.ID) },
		OptedOut: func(gateway.Channel) bool { return false },
	}
	if m.Wish.Code || !a.HasOptOuts {
		return c, nil
	}
	out, err := optout.Of(e.o.DB.Read(ctx), a.ID, m.Recipient(), m.Wish.Email)
	if err != nil {
		return nil, err
	}
	c.OptedOut = func(channel gateway.Channel) bool { return out[channel] }
	return c, nil
}

// Usable reports whether a sender's gateway is there and connected, or connecting.
func (e *Engine) Usable(s account.Sender) bool {
	return e.connection(s).Usable()
}

func (e *Engine) carriesMedia(s account.Sender) bool {
	g := e.o.Gateways.Get(s.Gateway)
	return g != nil && g.Info().Media
}
