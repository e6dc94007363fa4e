package send

import (
	"griot/gateway"
	"griot/messaging/account"
)

// State returns the state of a sender's connection. A gateway that is not there
// is disconnected; one without a connection to speak of is connected.
func (e *Engine) State(s account.Sender) gateway.ConnState {
	g, ok := e.o.Gateways[s.Gateway]
	if !ok {
		return gateway.Disconnected
	}
	if c, ok := g.(gateway.Connector); ok {
		return c.State(s.Channel, s.Address)
	}
	return gateway.Connected
}
