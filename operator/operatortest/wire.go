package operatortest

import (
	"context"

	"example.com/griot/gateway"
)

// wire is a gateway that accepts everything. The states of its connections come from the test's world.
type wire struct{ gateway.Connector }

func (wire) Info() gateway.Info { return gateway.Info{Channels: []gateway.Channel{gateway.SMS}} }

func (wire) Close() error { return nil }

func (wire) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	return gateway.Ack{}, nil
}

func (wire) Probe(context.Context) error { return nil }
