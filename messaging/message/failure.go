package message

import "example.com/griot/gateway"

// CodeExpired is the failure of a message whose lifetime ended first. A gateway reports it too, of a message that it had
// taken or that reached it too late.
const CodeExpired = "expired"

// MaxCode is the most characters that a filter's code has.
const MaxCode = 64

// Failure is why an attempt or a message failed. It holds none of the message's content.
type Failure struct {
	Code         string        `json:"code"`  // stable
	Class        gateway.Class `json:"class"` // what may be done next
	ProviderCode string        `json:"providerCode,omitempty"`
}

// CodeOptedOut is the code of a failure whose recipient has opted out of messages on its channel.
const CodeOptedOut = "recipient_opted_out"

// FailureOf returns the part of a gateway's error that may be shown.
func FailureOf(e *gateway.Error) *Failure {
	return &Failure{Code: e.Code, Class: e.Class, ProviderCode: e.ProviderCode}
}

// Retryable reports whether sending the same again later can work.
func (f *Failure) Retryable() bool {
	switch f.Class {
	case gateway.Temporary, gateway.RateLimited, gateway.SenderDown:
		return true
	case gateway.Permanent, gateway.Unreachable, gateway.Unknown:
	}
	return false
}

// Text describes the failure for developers.
func (f *Failure) Text() string {
	switch f.Code {
	case CodeExpired:
		return "The message was not delivered in time."
	case CodeOptedOut:
		return "The recipient has opted out of messages on this channel."
	}
	switch f.Class {
	case gateway.Permanent:
		return "The gateway refused the message."
	case gateway.Temporary:
		return "The gateway could not take the message at that time."
	case gateway.RateLimited:
		return "The gateway takes no more messages for now."
	case gateway.Unknown:
		return "It is not known whether the gateway took the message; it was not sent again."
	case gateway.SenderDown:
		return "The sender cannot send at present."
	case gateway.Unreachable:
		return "The recipient cannot be reached on this channel."
	}
	return "The message could not be sent."
}
