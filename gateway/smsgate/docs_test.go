package smsgate

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The page names every setting, and every code that the driver returns.
func TestDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/gateways/smsgate.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, typ := range []reflect.Type{reflect.TypeFor[settings](), reflect.TypeFor[sim]()} {
		for f := range typ.Fields() {
			if name := f.Tag.Get("json"); name != "" {
				names = append(names, name)
			}
		}
	}
	for _, file := range []string{"smsgate.go", "outcome.go", "events.go", "../internal/httpcall/outcome.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:Code: |Code = |code = |Code\w* += |e\.Code, e\.RetryAfter = |gateway\.[A-Z]\w+, )"([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 38 {
		t.Fatalf("found only %d: %q", len(names), names)
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/gateways/smsgate.md doesn't name %s", name)
		}
	}
}
