package message

import (
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
)

// Auto lets the service choose the channel: WhatsApp, a backup sender of it, SMS, and
// email when the request has an address for it. No sender has it as its channel.
const Auto gateway.Channel = "auto"

// Route is one way to deliver a message, possible or tried: by a sender, on its channel.
type Route struct {
	Channel    gateway.Channel `json:"channel"`
	SenderID   string          `json:"sender"`
	From       string          `json:"from"`
	Gateway    string          `json:"gateway"`
	Address    string          `json:"to"` // the recipient's on this channel
	ProviderID string          `json:"providerId,omitempty"`
	Sent       bool            `json:"sent,omitempty"`    // the gateway took it
	Unknown    bool            `json:"unknown,omitempty"` // the gateway may have taken it
	Closed     bool            `json:"closed,omitempty"`  // the recipient cannot be reached on the channel, whoever sends
}

// Route returns the route that a message is on.
func (m *Message) Route() Route {
	return Route{Channel: m.Channel, SenderID: m.SenderID, From: m.From, Gateway: m.Gateway, Address: m.Address, ProviderID: m.ProviderID}
}

// SetRoute sets the route that a message is on.
func (m *Message) SetRoute(w Route) {
	m.Channel, m.SenderID, m.From, m.Gateway, m.Address, m.ProviderID = w.Channel, w.SenderID, w.From, w.Gateway, w.Address, w.ProviderID
}

// UsesGateway reports whether a gateway is that of the message's route, or of a tried one.
func (m *Message) UsesGateway(gatewayName string) bool {
	return m.Gateway == gatewayName || slices.ContainsFunc(m.Tried, func(w Route) bool { return w.Gateway == gatewayName })
}

// Recipient returns the address of the request: E.164 digits, or an email address.
func (m *Message) Recipient() string {
	if n, ok := phone.Parse(m.To); ok {
		return string(n)
	}
	return m.To
}

// HandedOver reports whether a gateway has taken the message, or may have, on this route or a tried one.
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

// Retry is how often, and after which delay, an attempt that handed nothing over is repeated.
type Retry struct {
	Max   int   `json:"max"`   // attempts in all on each route; 0: one
	Delay int64 `json:"delay"` // milliseconds before the second; doubled before each further one
}

// Options is what a request asks for besides the content. It never changes.
type Options struct {
	SenderID   string `json:"sender,omitempty"`   // the sender that was asked for
	Email      string `json:"email,omitempty"`    // Auto: the recipient's address, should email be needed
	FallbackMs int64  `json:"fallback,omitempty"` // Auto: how long DELIVERED is waited for before the next route is taken; 0: for ever
	Quick      bool   `json:"quick,omitempty"`    // a one-time code: a second copy does no harm, a late one does
	GroupID    string `json:"group,omitempty"`
	MediaURL   string `json:"media,omitempty"`
	ReplyTo    string `json:"replyTo,omitempty"` // the id of the message that it answers, which is in its conversation
	Quiet      bool   `json:"quiet,omitempty"`   // a simulated message of which no endpoint gets an event
	Retry      Retry  `json:"retry,omitzero"`
	Key        string `json:"key,omitempty"`  // the idempotency key, for the account's own records
	Code       bool   `json:"code,omitempty"` // it contains a one-time code: it goes to those who opted out, too
}

// FallbackAfter returns how long to wait for DELIVERED before the next route; 0: without end.
func (w *Options) FallbackAfter() time.Duration {
	return time.Duration(w.FallbackMs) * time.Millisecond
}
