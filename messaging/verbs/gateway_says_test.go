package verbs

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
)

func TestExplained(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"credentials":       &gateway.Error{Class: gateway.SenderDown, Code: "credentials_refused", ProviderCode: "0x0000000e"},
		"can’t be reached":  &gateway.Error{Class: gateway.Temporary, Code: "smtp_unavailable"},
		"for now":           &gateway.Error{Class: gateway.Temporary, Code: "smtp_unavailable", ProviderCode: "421"},
		"encrypted":         &gateway.Error{Class: gateway.SenderDown, Code: "tls_unavailable"},
		"the test itself":   errors.New("the driver panicked"),
		"doesn’t let this":  &gateway.Error{Class: gateway.SenderDown, Code: "account_closed"},
		"no more requests":  &gateway.Error{Class: gateway.RateLimited, Code: "rate_limited"},
		"refuses the test":  &gateway.Error{Class: gateway.Permanent, Code: "request_invalid"},
		"refuses the login": &gateway.Error{Class: gateway.SenderDown, Code: "bind_refused"},
	} {
		text, fix := failureOf(err).Explain(i18n.EN)
		if !strings.Contains(text, want) || fix == "" {
			t.Errorf("%v: %q, %q, want %q", err, text, fix, want)
		}
	}
	for _, l := range i18n.Langs() {
		for _, class := range gateway.Classes() { // every failure has a sentence and a fix
			f := failureOf(&gateway.Error{Class: class, Code: "new"})
			if text, fix := f.Explain(l); strings.Contains(text+fix, "gateway.problem") || text == "" || fix == "" {
				t.Errorf("%s, %s: %q, %q", l, class, text, fix)
			}
			if text, fix := f.ExplainMessage(l); strings.Contains(text+fix, "gateway.problem") || text == "" || fix == "" {
				t.Errorf("%s, %s: %q, %q", l, class, text, fix)
			}
		}
	}
}

// The operator reads these sentences, so none of them sends the reader to the operator.
func TestExplainMessage_IsForTheOperator(t *testing.T) {
	t.Parallel()
	for _, key := range i18n.EN.Keys() {
		code, is := strings.CutPrefix(key, i18n.CauseKey)
		if !is {
			continue
		}
		f := GatewayFailure{Code: code, Class: string(gateway.Permanent), ProviderCode: "1"}
		if slices.Contains(gateway.Classes(), gateway.Class(code)) {
			f = GatewayFailure{Code: "new", Class: code, ProviderCode: "1"}
		}
		text, fix := f.ExplainMessage(i18n.EN)
		if text == "" || fix == "" || strings.Contains(fix, "operator") {
			t.Errorf("%s: %q, %q", code, text, fix)
		}
	}
}
