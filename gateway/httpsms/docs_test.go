package httpsms

import (
	"reflect"
	"slices"
	"testing"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/gateway/internal/peertest"
)

const page = "../../docs/gateways/httpsms.md"

// The page names every setting, placeholder, preset, and error code of the driver. httpgate tests its own.
func TestDocs(t *testing.T) {
	t.Parallel()
	names := slices.Concat(httpgate.Presets(presetFiles), []string{"{{ref}}", "{{callback_url}}", "{{callback_token}}"})
	for _, name := range kind().Placeholders {
		names = append(names, "{{"+name+"}}")
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[settings](), reflect.TypeFor[coding](), reflect.TypeFor[inbound]()} {
		names = append(names, peertest.Members(typ)...)
	}
	names = append(names, inboundFields()...)
	peertest.CheckNames(t, page, names, 60)
}

// The examples of the page are valid settings.
func TestDocs_Examples(t *testing.T) {
	t.Parallel()
	examples := peertest.Examples(t, page, testToken)
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, settings := range examples {
		s, err := Open(settings, gatewaytest.NewEnvironment().Deps())
		if err != nil || !s.Info().Receipts {
			t.Errorf("%s: %v", settings, err)
		}
	}
}
