package httpmail

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"griot/gateway"
	"griot/gateway/internal/httpgate"
	"griot/gateway/internal/mailtext"
	"griot/gateway/internal/peertest"
)

func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/gateways/httpmail.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The page names every preset, placeholder and setting that is the kind's own, and every code: of the sources, and of the presets.
func TestDocs(t *testing.T) {
	t.Parallel()
	names := slices.Concat(httpgate.Presets(presetFiles), peertest.Members(reflect.TypeFor[mailtext.Unsubscribe]()), []string{"{{ref}}", "{{callback_url}}", "{{callback_token}}"})
	for _, name := range kind().Placeholders {
		names = append(names, "{{"+name+"}}")
	}
	for _, pattern := range []string{"*.go", "presets/*.json", "../internal/httpgate/*.go", "../internal/httpcall/outcome.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?:Code: |Code = |code = |Code\w* += |e\.Code = gateway\.\w+, |return gateway\.[A-Z]\w+, |"code": )"([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
				names = append(names, m[1])
			}
		}
	}
	if len(names) < 60 || !slices.Contains(names, "account_refused") || !slices.Contains(names, "unsubscribed") {
		t.Fatalf("found only %d: %q", len(names), names)
	}
	for _, name := range names {
		if !strings.Contains(page(t), "`"+name+"`") {
			t.Errorf("docs/gateways/httpmail.md doesn't name %s", name)
		}
	}
}

// The examples of the page can be used as they are.
func TestDocs_Examples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/secret", []byte(brevoToken), 0o600); err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(examples) != 5 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		text := regexp.MustCompile(`/etc/griot/[a-z.]+`).ReplaceAllString(e[1], dir+"/secret")
		_, text, _ = strings.Cut(text, "settings:\n")
		text, _, _ = strings.Cut(text, "\nemail:")
		var settings map[string]any
		if err := yaml.Unmarshal([]byte(text), &settings); err != nil {
			t.Fatal(err)
		}
		s, err := Open((provider{settings: settings}).raw(), gatewayDeps())
		if err != nil || !s.Info().Receipts {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, ok := s.(gateway.Prober); !ok {
			t.Errorf("%s: no probe", text)
		}
	}
}
