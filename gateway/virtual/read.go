package virtual

import (
	"cmp"
	"context"

	"example.com/griot/gateway"
)

// MarkRead implements [gateway.Reader]. The phone shows the messages as read. For a message that the sink is still
// storing, it returns a temporary error.
func (g *Gateway) MarkRead(ctx context.Context, r *gateway.Read) error {
	select {
	case <-g.closed:
		return &gateway.Error{Class: gateway.SenderDown, Code: "virtual_closed"}
	default:
	}
	waiting, err := false, ctx.Err()
	if err == nil {
		p, _ := g.people.find(cmp.Or(r.To, r.ToID))
		waiting, err = g.store.markRead(ctx, p.number, r.IDs)
	}
	if err != nil {
		failure := storeError(err)
		if failure.Class == gateway.Unknown { // repeating a read receipt is harmless
			failure.Class = gateway.Temporary
		}
		return failure
	}
	if waiting {
		return &gateway.Error{Class: gateway.Temporary, Code: "virtual_not_delivered"}
	}
	return nil
}
