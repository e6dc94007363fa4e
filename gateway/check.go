package gateway

import (
	"slices"
	"time"
)

// The checks below need no gateway. Drivers make them before a call, so that all of them refuse with the same codes.

// Check returns the reason why a gateway of these channels cannot send the message, or nil: its channel is not among
// them, it has expired, or it is for a WhatsApp ID on another channel, where people have no ID.
func (out *Outbound) Check(now time.Time, channels ...Channel) *Error {
	switch {
	case !slices.Contains(channels, out.Channel):
		return &Error{Class: Permanent, Code: "channel_unsupported"}
	case !out.ExpiresAt.IsZero() && !now.Before(out.ExpiresAt):
		return &Error{Class: Permanent, Code: "expired"}
	case out.ToID != "" && out.Channel != WhatsApp:
		return &Error{Class: Unreachable, Code: "recipient_invalid"}
	}
	return nil
}

// CheckNoMedia returns the reason why a gateway without attachments cannot send the message, or nil.
func (out *Outbound) CheckNoMedia() *Error {
	if out.Media != nil {
		return &Error{Class: Permanent, Code: "media_unsupported"}
	}
	return nil
}

// CheckTextOnly returns the reason why a gateway that sends only text cannot send the message, or nil.
func (out *Outbound) CheckTextOnly() *Error {
	if out.Text == "" {
		return &Error{Class: Permanent, Code: "message_empty"}
	}
	return out.CheckNoMedia()
}
