package admin

import (
	"errors"
	"strings"
	"testing"

	"example.com/griot/gateway"
)

func TestExplained(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"credentials":       &gateway.Error{Class: gateway.SenderDown, Code: "credentials_refused", ProviderCode: "0x0000000e"},
		"can't be reached":  &gateway.Error{Class: gateway.Temporary, Code: "smtp_unavailable"},
		"for now":           &gateway.Error{Class: gateway.Temporary, Code: "smtp_unavailable", ProviderCode: "421"},
		"encrypted":         &gateway.Error{Class: gateway.SenderDown, Code: "tls_unavailable"},
		"the test itself":   errors.New("the driver panicked"),
		"doesn't let this":  &gateway.Error{Class: gateway.SenderDown, Code: "account_closed"},
		"no more requests":  &gateway.Error{Class: gateway.RateLimited, Code: "rate_limited"},
		"refuses the test":  &gateway.Error{Class: gateway.Permanent, Code: "request_invalid"},
		"refuses the login": &gateway.Error{Class: gateway.SenderDown, Code: "bind_refused"},
	} {
		text, hint := explained(err)
		if !strings.Contains(text, want) || hint == "" {
			t.Errorf("%v: %q, %q, want %q", err, text, hint, want)
		}
	}
	for _, class := range gateway.Classes() { // every failure has a sentence and a fix
		if text, hint := explained(&gateway.Error{Class: class, Code: "new"}); text == "" || hint == "" {
			t.Errorf("%s: %q, %q", class, text, hint)
		}
	}
}
