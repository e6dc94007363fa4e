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
)

func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/gateways/httpsms.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The page names every setting, placeholder, preset, and every code that the driver returns.
func TestDocs(t *testing.T) {
	t.Parallel()
	text := page(t)
	names := slices.Concat(presets(), []string{"{{callback_token}}"})
	for _, name := range builtins() {
		names = append(names, "{{"+name+"}}")
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[settings](), reflect.TypeFor[value](), reflect.TypeFor[coding](), reflect.TypeFor[basicLogin](), reflect.TypeFor[oauthLogin](),
		reflect.TypeFor[look](), reflect.TypeFor[rule](), reflect.TypeFor[errorRule](), reflect.TypeFor[hook](), reflect.TypeFor[auth](),
	} {
		for f := range typ.Fields() {
			if name := f.Tag.Get("json"); name != "" {
				names = append(names, name)
			}
		}
	}
	for _, file := range []string{"httpsms.go", "answer.go", "news.go", "token.go", "../internal/httpcall/outcome.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:Code: |Code = |code = |Code\w* += |e\.Code = gateway\.\w+, |return gateway\.[A-Z]\w+, )"([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 90 {
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
