package outbound

import (
	"slices"
	"time"

	"griot/gateway"
)

// Refused returns why a message can't go at all, or nil: its channel is none of those, or its time is over.
func Refused(out *gateway.Outbound, now time.Time, channels ...gateway.Channel) *gateway.Error {
	switch {
	case !slices.Contains(channels, out.Channel):
		return &gateway.Error{Class: gateway.Permanent, Code: "channel_unsupported"}
	case !out.ExpiresAt.IsZero() && !now.Before(out.ExpiresAt):
		return &gateway.Error{Class: gateway.Permanent, Code: "expired"}
	}
	return nil
}

// NoMedia returns why a message can't go by a gateway that carries no attachments, or nil.
func NoMedia(out *gateway.Outbound) *gateway.Error {
	if out.Media != nil {
		return &gateway.Error{Class: gateway.Permanent, Code: "media_unsupported"}
	}
	return nil
}

// NoText returns why a message can't go by a gateway that carries text and nothing else, or nil.
func NoText(out *gateway.Outbound) *gateway.Error {
	if out.Text == "" {
		return &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	}
	return NoMedia(out)
}
