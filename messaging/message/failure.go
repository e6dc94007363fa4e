package message

import "example.com/griot/gateway"

// CodeExpired is the failure code of a message that expired. A gateway also reports it, for a message that it had
// accepted or that arrived there too late.
const CodeExpired = "expired"

// CodeOutcomeUnknown is the failure code of a message that a gateway might have accepted.
const CodeOutcomeUnknown = "outcome_unknown"

// MaxCode is the maximum length of a code in a filter, in characters.
const MaxCode = 64

// A Failure is the reason why an attempt or a message failed. It contains no part of the message's content.
type Failure struct {
	Code         string        `json:"code"`  // stable
	Class        gateway.Class `json:"class"` // determines the possible next steps
	ProviderCode string        `json:"providerCode,omitempty"`
}

// CodeOptedOut is the failure code for a recipient who has opted out of messages on the channel.
const CodeOptedOut = gateway.CodeOptedOut

// CodeMarketingStopped is the failure code for a marketing template to a person who wants no marketing messages on WhatsApp.
const CodeMarketingStopped = gateway.CodeMarketingStopped

// FailureOf returns the part of a gateway's error that can be shown.
func FailureOf(e *gateway.Error) *Failure {
	return &Failure{Code: e.Code, Class: e.Class, ProviderCode: e.ProviderCode}
}

// Retryable reports whether sending the same message again later might work.
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
	case CodeMarketingStopped:
		return "The recipient wants no marketing messages on WhatsApp."
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
