package send

import (
	"context"

	"griot/gateway"
	"griot/internal/safedial"
)

// attach gives a gateway the bytes of a message's media, unless its address is enough.
func (e *Engine) attach(ctx context.Context, g gateway.Sender, out *gateway.Outbound) error {
	if out.Media == nil {
		return nil
	}
	if g.Info().MediaByLink {
		// Whose network a name or a private address means is not ours to know.
		if err := (safedial.Options{Loopback: e.o.Links.Loopback}).CheckLink(out.Media.URL); err != nil {
			return &gateway.Error{Class: gateway.Permanent, Code: "media_refused", Err: err}
		}
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
