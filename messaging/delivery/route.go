package delivery

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/route"
)

// conditions returns the current conditions for the route of a message.
func (s *Service) conditions(ctx context.Context, a *account.Account, m *message.Message) (*route.Conditions, error) {
	c := &route.Conditions{
		Senders: a.Senders, Usable: s.Usable, TakesMedia: s.takesMedia,
		Avoid:    func(from account.Sender) bool { return s.breakerOpen(from.ID) },
		OptedOut: func(gateway.Channel) bool { return false },
	}
	if m.Options.Code || !a.HasOptOuts {
		return c, nil
	}
	out, err := optout.Channels(s.o.DB.Read(ctx), s.people, a.ID, m.Recipient(), m.Options.Email, m.Options.Marketing)
	if err != nil {
		return nil, err
	}
	c.OptedOut = func(channel gateway.Channel) bool { return out[channel] }
	c.NoMarketing = out[optout.Marketing]
	return c, nil
}

// Usable reports whether a sender's gateway exists and accepts messages. Failed attempts do not change that, so that
// new attempts can show that the sender works again.
func (s *Service) Usable(from account.Sender) bool {
	return s.o.Gateways.Detail(from.Gateway, from.Channel, from.Address).Accepts()
}

func (s *Service) takesMedia(from account.Sender) bool {
	g := s.o.Gateways.Get(from.Gateway)
	return g != nil && g.Info().Media
}

// breakerOpen reports whether a sender's circuit breaker is open on this node.
func (s *Service) breakerOpen(senderID string) bool {
	s.mu.Lock()
	w := s.workers[senderID]
	s.mu.Unlock()
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.breaker.Wait(s.o.Now()) > 0 || w.breaker.Probing()
}
