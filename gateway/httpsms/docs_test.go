package httpsms

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"griot/gateway/gatewaytest"
	"griot/gateway/internal/httpgate"
	"griot/gateway/internal/peertest"
)

func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/gateways/httpsms.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The page names every setting, placeholder, preset, and every code that the driver returns; those of the engine are held
// against it in the engine's own tests.
func TestDocs(t *testing.T) {
	t.Parallel()
	text := page(t)
	names := slices.Concat(httpgate.Presets(presetFiles), []string{"{{ref}}", "{{callback_url}}", "{{callback_token}}"})
	for _, name := range kind().Placeholders {
		names = append(names, "{{"+name+"}}")
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[settings](), reflect.TypeFor[coding](), reflect.TypeFor[inbound]()} {
		names = append(names, peertest.Members(typ)...)
	}
	names = append(names, inboundFields()...)
	if len(names) < 60 {
		t.Fatalf("found only %d: %q", len(names), names)
	}
	for _, name := range names {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/gateways/httpsms.md doesn't name %s", name)
		}
	}
}

// The examples of the page can be used as they are.
func TestDocs_Examples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/secret", []byte(testToken), 0o600); err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		text := regexp.MustCompile(`/etc/griot/[a-z.]+`).ReplaceAllString(e[1], dir+"/secret")
		_, text, _ = strings.Cut(text, "settings:\n")
		var settings map[string]any
		if err := yaml.Unmarshal([]byte(text), &settings); err != nil {
			t.Fatal(err)
		}
		s, err := Open(mustJSON(t, settings), gatewaytest.NewSurroundings().Deps())
		if err != nil || !s.Info().Receipts {
			t.Errorf("%s: %v", text, err)
		}
	}
}
