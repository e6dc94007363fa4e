package route

import (
	"slices"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// maxWhatsApp is the maximum number of WhatsApp senders that are tried for one message: one and its backup.
const maxWhatsApp = 2

// Conditions are the inputs of a route in addition to the message.
type Conditions struct {
	Senders     []account.Sender             // the account's in their order, followed by the platform's
	Usable      func(account.Sender) bool    // reports whether the gateway is connected or connecting; not called for paused senders
	Avoid       func(account.Sender) bool    // reports whether the sender is failing now, so that others are preferred
	TakesMedia  func(account.Sender) bool    // reports whether the gateway accepts media; called for messages with media
	OptedOut    func(c gateway.Channel) bool // reports whether the recipient has opted out of the channel
	NoMarketing bool                         // the message is a marketing template, and the recipient wants no marketing messages on WhatsApp
}

// First returns the route of a new message: on its channel, with the requested sender or otherwise the first usable
// one; for auto, the first usable route of all.
//
// Errors: sender_not_found if the requested sender is not one of the account's senders on the channel;
// recipient_opted_out; marketing_stopped; gateway_not_connected if no sender is usable, which for auto means neither on WhatsApp nor by
// SMS; and sender_paused if the reason is that the account has paused a sender.
func First(m *message.Message, c *Conditions) (message.Route, error) {
	if m.RequestedChannel == message.Auto {
		return firstAuto(m, c)
	}
	if err := c.refusal(m.RequestedChannel); err != nil {
		return message.Route{}, err
	}
	if err := checkSender(m.RequestedChannel, m.Options.SenderID, c); err != nil {
		return message.Route{}, err
	}
	for _, s := range c.Senders {
		if s.Channel == m.RequestedChannel && c.accepts(m, s) {
			return routeBy(m, s), nil
		}
	}
	return message.Route{}, c.noSender(m, m.RequestedChannel)
}

func firstAuto(m *message.Message, c *Conditions) (message.Route, error) {
	if err := checkSender(gateway.WhatsApp, m.Options.SenderID, c); err != nil {
		return message.Route{}, err
	}
	connected := false
	for _, s := range c.Senders {
		connected = connected || (s.Channel != gateway.Email && c.usable(s))
	}
	if !connected {
		return message.Route{}, c.noSender(m, gateway.WhatsApp, gateway.SMS)
	}
	if w, ok := Next(m, nil, c); ok {
		return w, nil
	}
	for _, channel := range channels() {
		if err := c.refusal(channel); err != nil {
			return message.Route{}, err
		}
	}
	return message.Route{}, c.noSender(m, channels()...)
}

// refusal returns the error for a message on a channel if its recipient has opted out of it.
func (c *Conditions) refusal(channel gateway.Channel) error {
	switch {
	case c.OptedOut(channel):
		return apierror.RecipientOptedOut.Err()
	case c.NoMarketing && channel == gateway.WhatsApp:
		return apierror.MarketingStopped.Err()
	}
	return nil
}

// noSender returns the reason why no sender on some channels can send a message.
func (c *Conditions) noSender(m *message.Message, on ...gateway.Channel) error {
	for _, s := range c.Senders {
		if s.Paused() && slices.Contains(on, s.Channel) && (m.Options.SenderID == "" || s.ID == m.Options.SenderID) {
			return apierror.SenderPaused.Err()
		}
	}
	return apierror.GatewayNotConnected.Err()
}

// usable reports whether a sender can send: it is not paused, and its gateway is connected or connecting.
func (c *Conditions) usable(s account.Sender) bool { return !s.Paused() && c.Usable(s) }

// checkSender checks that the requested sender exists and is usable.
func checkSender(channel gateway.Channel, senderID string, c *Conditions) error {
	if senderID == "" {
		return nil
	}
	for _, s := range c.Senders {
		if s.ID == senderID && s.Channel == channel {
			switch {
			case s.Paused():
				return apierror.SenderPaused.On("senderId")
			case !c.Usable(s):
				return apierror.GatewayNotConnected.On("senderId")
			}
			return nil
		}
	}
	return apierror.SenderNotFound.On("senderId")
}

func channels() []gateway.Channel {
	return []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}
}

// Next returns the route to take after the tried ones. ok is false if none remains. Only a message whose channel is
// auto has more than one. A sender that is failing now is selected only if there is no other. If a channel has
// accepted the message without delivering it, Next leaves the channel, except for a one-time code, for which a second
// copy does no harm.
func Next(m *message.Message, tried []message.Route, c *Conditions) (w message.Route, ok bool) {
	if m.RequestedChannel != message.Auto {
		return w, false
	}
	if w, ok = nextAvoiding(m, tried, c, c.Avoid); ok {
		return w, true
	}
	return nextAvoiding(m, tried, c, func(account.Sender) bool { return false })
}

func nextAvoiding(m *message.Message, tried []message.Route, c *Conditions, avoid func(account.Sender) bool) (w message.Route, ok bool) {
	for _, channel := range channels() {
		n, closed := 0, c.refusal(channel) != nil
		for _, r := range tried {
			if r.Channel == channel {
				n++
				closed = closed || r.Closed || (r.Sent && !m.Options.Code) || channel != gateway.WhatsApp || n == maxWhatsApp
			}
		}
		if closed || !fits(m, channel) {
			continue
		}
		for _, s := range c.Senders {
			if s.Channel == channel && !hasTried(tried, s.ID) && c.accepts(m, s) && !avoid(s) {
				return routeBy(m, s), true
			}
		}
	}
	return w, false
}

func hasTried(tried []message.Route, senderID string) bool {
	for _, r := range tried {
		if r.SenderID == senderID {
			return true
		}
	}
	return false
}

// fits reports whether a message can be sent on a channel at all.
func fits(m *message.Message, channel gateway.Channel) bool {
	switch channel {
	case gateway.WhatsApp:
		return true
	case gateway.SMS:
		return !m.ForID() && m.Options.MediaURL == "" && m.Options.GroupID == "" && utf8.RuneCountInString(m.Content.Text) <= message.MaxSMS
	case gateway.Email:
		return m.Options.MediaURL == "" && m.Options.GroupID == "" && m.Options.Email != ""
	}
	return false
}

// accepts reports whether a sender can send the message now.
func (c *Conditions) accepts(m *message.Message, s account.Sender) bool {
	if s.Channel == gateway.WhatsApp && m.Options.SenderID != "" && s.ID != m.Options.SenderID {
		return false
	}
	if m.RequestedChannel == s.Channel && m.Options.SenderID != "" && s.ID != m.Options.SenderID {
		return false
	}
	return c.usable(s) && (m.Options.MediaURL == "" || c.TakesMedia(s))
}

func routeBy(m *message.Message, s account.Sender) message.Route {
	w := message.Route{Channel: s.Channel, SenderID: s.ID, From: s.Address, Gateway: s.Gateway, Address: m.Recipient()}
	if m.RequestedChannel == message.Auto && s.Channel == gateway.Email {
		w.Address = m.Options.Email
	}
	return w
}
