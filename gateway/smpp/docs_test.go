package smpp

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The page names every setting, and every code that the driver returns.
func TestDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/gateways/smpp.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for f := range reflect.TypeFor[settings]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:Code: |e\.Code = |gateway\.[A-Z]\w+, |codeCredentials = )"(\w+)"`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 50 {
		t.Fatalf("found only %q", names)
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/gateways/smpp.md doesn't name %s", name)
		}
	}
}
