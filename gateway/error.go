package gateway

import (
	"errors"
	"fmt"
	"time"
)

// Class is the kind of a failure. It determines the possible next steps after the attempt.
type Class string

// The classes of failures.
const (
	Permanent   Class = "permanent"    // repeating this message on this route will not work
	Temporary   Class = "temporary"    // nothing was submitted; the same attempt might work later
	RateLimited Class = "rate_limited" // like Temporary, after RetryAfter
	Unknown     Class = "unknown"      // the message might have been submitted
	SenderDown  Class = "sender_down"  // the sender cannot send anything now
	Unreachable Class = "unreachable"  // this recipient cannot be reached on this channel
)

// Classes returns all classes.
func Classes() []Class {
	return []Class{Permanent, Temporary, RateLimited, Unknown, SenderDown, Unreachable}
}

// HandedOver reports whether a message might have reached the gateway in an attempt of this class.
func (c Class) HandedOver() bool { return c == Unknown }

// Codes of permanent failures with which messaging stores an opt-out of the recipient, so that later messages are not
// submitted. A driver uses them only if the provider has the person on a list of opt-outs.
const (
	CodeOptedOut         = "recipient_opted_out" // of all messages on the channel
	CodeMarketingStopped = "marketing_stopped"   // of marketing messages on WhatsApp
)

// Error is the failure of an attempt. Code and ProviderCode contain no part of the message.
type Error struct {
	Class        Class
	Code         string // stable, e.g. "recipient_unknown"
	ProviderCode string // the gateway's code, e.g. "550 5.1.1"
	RetryAfter   time.Duration
	Err          error // for the log
}

func (e *Error) Error() string {
	s := fmt.Sprintf("gateway: %s (%s)", e.Code, e.Class)
	if e.ProviderCode != "" {
		s += " " + e.ProviderCode
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns the *Error in err's chain. Any other error of a driver becomes Unknown, because the message might
// have been submitted.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Class: Unknown, Code: "gateway_error", Err: err}
}
