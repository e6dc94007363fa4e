package otp

import (
	"griot/gateway"
	"griot/messaging/account"
	"griot/messaging/route"
)

// auto is the wish for whichever channel works; see [Service.channel].
const auto gateway.Channel = "auto"

// channel is what a message is asked to go by. TODO(auto routing): return r.Channel once the engine takes auto itself.
func (s *Service) channel(c *account.Caller, r *Request) gateway.Channel {
	if r.Channel != auto {
		return r.Channel
	}
	for _, ch := range []gateway.Channel{gateway.WhatsApp, gateway.SMS} {
		if _, err := route.Pick(c.Account.Senders, ch, "", s.o.Engine.Usable); err == nil {
			return ch
		}
	}
	return gateway.WhatsApp
}
