package send

import (
	"context"

	"griot/gateway"
)

// attach gives a gateway the bytes of a message's media, unless its address is enough.
func (e *Engine) attach(ctx context.Context, g gateway.Sender, out *gateway.Outbound) error {
	if out.Media == nil || g.Info().MediaByLink {
		return nil
	}
	if e.o.Media == nil {
		return &gateway.Error{Class: gateway.Permanent, Code: "media_refused"}
	}
	m, err := e.o.Media.Fetch(ctx, out.Media.URL)
	if err != nil {
		return err
	}
	out.Media = m
	return nil
}
