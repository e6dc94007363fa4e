package verbs

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
)

// A GatewayFailure is the failure of a gateway in codes, from which [GatewayFailure.Explain] and
// [GatewayFailure.ExplainMessage] make sentences. It is zero without a failure.
type GatewayFailure struct {
	Code         string `json:"failureCode,omitempty"`  // of the driver; empty with a class: an error of the test itself
	Class        string `json:"failureClass,omitempty"` // of the code
	ProviderCode string `json:"failureProviderCode,omitempty"`
}

// failureOf returns a failure's codes.
func failureOf(err error) GatewayFailure {
	f, ok := errors.AsType[*gateway.Error](err)
	if !ok {
		return GatewayFailure{Class: string(gateway.Unknown)}
	}
	return GatewayFailure{f.Code, string(f.Class), f.ProviderCode}
}

// The problems that a gateway itself has, whatever the message, in keys of texts.
const (
	problemCredentials = "credentials"
	problemLogin       = "login"
	problemEncryption  = "encryption"
	problemToken       = "token"
	problemSettings    = "settings"
	problemUnreachable = "unreachable"
)

// problem returns the last part of the keys of the failure's texts.
func (f GatewayFailure) problem() string {
	switch f.Code {
	case "":
		return "internal"
	case "credentials_refused":
		return problemCredentials
	case "bind_refused":
		return problemLogin
	case "tls_unavailable", "tls_failed":
		return problemEncryption
	case "token_unavailable":
		return problemToken
	case "gateway_misconfigured":
		return problemSettings
	}
	switch gateway.Class(f.Class) {
	case gateway.RateLimited:
		return "rate"
	case gateway.SenderDown:
		return "account"
	case gateway.Permanent, gateway.Unreachable:
		return "refused"
	case gateway.Temporary, gateway.Unknown:
	}
	if f.ProviderCode != "" {
		return "later"
	}
	return problemUnreachable
}

// Explain describes the failure of a gateway's test, and its fix. Both start with a lowercase letter and end without a
// period.
func (f GatewayFailure) Explain(l i18n.Lang) (text, fix string) {
	key := "gateway.problem." + f.problem()
	return l.T(key), l.T(key + "_fix")
}

// ExplainMessage describes the failure of a message for the operator, and its fix. Both are sentences.
func (f GatewayFailure) ExplainMessage(l i18n.Lang) (text, fix string) {
	switch f.problem() {
	case problemCredentials, problemLogin, problemEncryption, problemToken, problemSettings, problemUnreachable:
		text, fix = f.Explain(l)
		return sentence(text), sentence(fix)
	}
	code, text, fix := l.Reason(f.Code, f.Class)
	switch {
	case slices.Contains(bySettings(), code):
		fix = l.T("gateway.test.advice_settings")
	case slices.Contains(byProvider(), code):
		fix = l.T("gateway.test.advice_provider")
	}
	return text, fix
}

// bySettings and byProvider return the codes whose advice sends an account to the operator.
func bySettings() []string {
	return []string{"channel_unsupported", "gateway_error", "sender_invalid", "sender_unknown"}
}

func byProvider() []string {
	return []string{"account_restricted", "balance_empty", "daily_quota_exceeded", "payment_required", "quota_exceeded", "recipient_not_allowed", "sender_not_registered", "sender_refused", "suppressed"}
}

// Codes returns the failure in one line: the code, its class, and the provider's code.
func (f GatewayFailure) Codes() string {
	text := f.Code + " (" + f.Class + ")"
	if f.ProviderCode != "" {
		text += ", " + f.ProviderCode
	}
	return text
}

func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// plain returns a text with the apostrophe that people type, for terminals.
func plain(text string) string { return strings.ReplaceAll(text, "’", "'") }
