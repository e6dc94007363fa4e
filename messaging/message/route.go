package message

import (
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/whatsappid"
	"example.com/griot/messaging/person"
)

// Auto lets the service choose the channel: WhatsApp, a backup WhatsApp sender, SMS, and email if the request has an
// email address. Senders never have this channel.
const Auto gateway.Channel = "auto"

// A Route is one way to send a message, possible or tried: with a sender, on its channel.
type Route struct {
	Channel    gateway.Channel `json:"channel"`
	SenderID   string          `json:"sender"`
	From       string          `json:"from"`
	Gateway    string          `json:"gateway"`
	Address    string          `json:"to"` // the recipient's address on this channel
	ProviderID string          `json:"providerId,omitempty"`
	Sent       bool            `json:"sent,omitempty"`    // the gateway has accepted it
	Unknown    bool            `json:"unknown,omitempty"` // the gateway might have accepted it
	Closed     bool            `json:"closed,omitempty"`  // the recipient cannot be reached on the channel with any sender
}

// Route returns the current route of a message.
func (m *Message) Route() Route {
	return Route{Channel: m.Channel, SenderID: m.SenderID, From: m.From, Gateway: m.Gateway, Address: m.Address, ProviderID: m.ProviderID}
}

// SetRoute sets the current route of a message.
func (m *Message) SetRoute(w Route) {
	m.Channel, m.SenderID, m.From, m.Gateway, m.Address, m.ProviderID = w.Channel, w.SenderID, w.From, w.Gateway, w.Address, w.ProviderID
}

// UsesGateway reports whether the message's current route, or a tried one, uses a gateway.
func (m *Message) UsesGateway(gatewayName string) bool {
	return m.Gateway == gatewayName || slices.ContainsFunc(m.Tried, func(w Route) bool { return w.Gateway == gatewayName })
}

// Recipient returns the address in the request: E.164 digits, an email address, or a WhatsApp ID.
func (m *Message) Recipient() string { return person.Digits(m.To) }

// ForID reports whether the recipient is a WhatsApp ID, so that no SMS can be sent.
func (m *Message) ForID() bool { return whatsappid.Is(m.To) }

// HandedOver reports whether a gateway has accepted the message, or might have, on the current route or a tried one.
func (m *Message) HandedOver() bool {
	if !m.UnknownAt.IsZero() || !m.SentAt.IsZero() {
		return true
	}
	for _, w := range m.Tried {
		if w.Sent || w.Unknown {
			return true
		}
	}
	return false
}

// A Retry determines how often, and after which delay, an attempt that submitted nothing is repeated.
type Retry struct {
	Max   int   `json:"max"`   // attempts on each route in total; 0: one
	Delay int64 `json:"delay"` // in milliseconds, before the second attempt; doubled for each later one
}

// Options contains the options of a request, without the content. They never change.
type Options struct {
	SenderID   string `json:"sender,omitempty"`   // the requested sender
	Email      string `json:"email,omitempty"`    // Auto: the recipient's address for a fallback to email
	FallbackMs int64  `json:"fallback,omitempty"` // Auto: time to wait for DELIVERED before the next route; 0: no limit
	Quick      bool   `json:"quick,omitempty"`    // a one-time code, for which a second copy does no harm, but a delay does
	GroupID    string `json:"group,omitempty"`
	MediaURL   string `json:"media,omitempty"`
	ReplyTo    string `json:"replyTo,omitempty"` // the ID of the message in its conversation that this one replies to
	Quiet      bool   `json:"quiet,omitempty"`   // a simulated message without events for endpoints
	Retry      Retry  `json:"retry,omitzero"`
	Key        string `json:"key,omitempty"`       // the idempotency key, for the account's own records
	Code       bool   `json:"code,omitempty"`      // contains a one-time code, so it is sent even to people who have opted out
	Marketing  bool   `json:"marketing,omitempty"` // on WhatsApp, a marketing template, so it isn't sent to people who want no marketing
}

// FallbackAfter returns the time to wait for DELIVERED before the next route. 0 means no limit.
func (w *Options) FallbackAfter() time.Duration {
	return time.Duration(w.FallbackMs) * time.Millisecond
}
