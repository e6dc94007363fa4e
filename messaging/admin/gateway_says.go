package admin

import (
	"errors"

	"example.com/griot/gateway"
)

// explained describes the failure of a gateway's test in a sentence, with the fix. Both start with a lowercase letter
// and end without a period.
func explained(err error) (text, hint string) {
	f, ok := errors.AsType[*gateway.Error](err)
	if !ok {
		return "the test itself failed", "check the server's log"
	}
	const reach = "start it, or correct its address and port; also check firewalls and the provider's status page"
	switch f.Code {
	case "credentials_refused":
		return "it doesn't accept the configured credentials", "set the current password or key"
	case "bind_refused":
		return "it refuses the login", "correct the system ID and the system type, and ask the provider whether the login can be used"
	case "tls_unavailable", "tls_failed":
		return "no encrypted connection to it can be opened", "correct the encryption in its settings, or renew the server's certificate"
	case "token_unavailable":
		return "it issues no access token", "set the current client ID and secret, and check the provider's status page"
	case "gateway_misconfigured":
		return "its settings don't match the provider", "compare them with the provider's documentation"
	}
	switch f.Class {
	case gateway.RateLimited:
		return "it accepts no more requests for now", "wait, and lower the rate in its settings if it happens again"
	case gateway.SenderDown:
		return "it doesn't let this account send", "check the account at the provider"
	case gateway.Permanent, gateway.Unreachable:
		return "it refuses the test", "compare its settings with the provider's documentation"
	case gateway.Temporary, gateway.Unknown:
	}
	if f.ProviderCode != "" {
		return "it responds, but doesn't work for now", "wait, and check the provider's status page"
	}
	return "it can't be reached, or doesn't respond in time", reach
}
