package operatortest

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/messaging/messagingtest"
)

// wire is the gateway of the test's world as a driver opens it: for SMS, and with a round trip that succeeds.
type wire struct{ *messagingtest.Gateway }

func (w wire) Info() gateway.Info {
	i := w.Gateway.Info()
	i.Channels = []gateway.Channel{gateway.SMS}
	return i
}

func (wire) Probe(context.Context) error { return nil }
