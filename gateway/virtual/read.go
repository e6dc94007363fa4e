package virtual

import (
	"context"

	"example.com/griot/gateway"
)

// MarkRead implements [gateway.Reader]: the phone shows the messages as read. One that the sink is just taking is told later.
func (g *Gateway) MarkRead(ctx context.Context, r *gateway.Read) error {
	select {
	case <-g.closed:
		return &gateway.Error{Class: gateway.SenderDown, Code: "virtual_closed"}
	default:
	}
	waiting, err := false, ctx.Err()
	if err == nil {
		waiting, err = g.store.markRead(ctx, r.To, r.IDs)
	}
	if err != nil {
		failure := storeError(err)
		if failure.Class == gateway.Unknown { // telling it again does no harm
			failure.Class = gateway.Temporary
		}
		return failure
	}
	if waiting {
		return &gateway.Error{Class: gateway.Temporary, Code: "virtual_not_delivered"}
	}
	return nil
}
