package httpmail

import (
	"reflect"
	"slices"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/gateway/internal/peertest"
)

const page = "../../docs/gateways/httpmail.md"

// The page names every preset, placeholder, setting, and error code that only this driver has.
func TestDocs(t *testing.T) {
	t.Parallel()
	names := slices.Concat(httpgate.Presets(presetFiles), peertest.Members(reflect.TypeFor[mailtext.Unsubscribe]()), []string{"{{ref}}", "{{callback_url}}", "{{callback_token}}"})
	for _, name := range kind().Placeholders {
		names = append(names, "{{"+name+"}}")
	}
	names = append(names, peertest.Codes(t, "*.go", "presets/*.json", "../internal/httpgate/*.go", "../internal/httpcall/outcome.go", "../check.go", "../ids.go")...)
	if !slices.Contains(names, "account_refused") || !slices.Contains(names, "unsubscribed") {
		t.Fatalf("found only %q", names)
	}
	peertest.CheckNames(t, page, names, 60)
}

// The examples of the page are valid settings.
func TestDocs_Examples(t *testing.T) {
	t.Parallel()
	examples := peertest.Examples(t, page, brevoToken)
	if len(examples) != 5 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, settings := range examples {
		s, err := Open(settings, gatewayDeps())
		if err != nil || !s.Info().Receipts {
			t.Errorf("%s: %v", settings, err)
			continue
		}
		if _, ok := s.(gateway.Prober); !ok {
			t.Errorf("%s: no probe", settings)
		}
	}
}
