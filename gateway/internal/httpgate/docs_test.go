package httpgate

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"griot/gateway/internal/peertest"
)

// The page of the older kind is the reference of the engine: it names every setting, and every code that is returned.
func TestDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/gateways/httpsms.md")
	if err != nil {
		t.Fatal(err)
	}
	names := receiptFields()
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Settings](), reflect.TypeFor[value](), reflect.TypeFor[basicLogin](), reflect.TypeFor[oauthLogin](), reflect.TypeFor[probe](),
		reflect.TypeFor[look](), reflect.TypeFor[rule](), reflect.TypeFor[errorRule](), reflect.TypeFor[Hook](), reflect.TypeFor[auth](),
	} {
		names = append(names, peertest.Members(typ)...)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(sources, "../httpcall/outcome.go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:Code: |Code = |code = |Code\w* += |e\.Code = gateway\.\w+, |return gateway\.[A-Z]\w+, )"([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 100 || !slices.Contains(names, "bounced") || !slices.Contains(names, "tls_failed") {
		t.Fatalf("found only %d: %q", len(names), names)
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/gateways/httpsms.md doesn't name %s", name)
		}
	}
}
