package smtp

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
	page, err := os.ReadFile("../../docs/gateways/smtp.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for f := range reflect.TypeFor[settings]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	for _, file := range []string{"smtp.go", "mail.go", "outcome.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:Code: |gateway\.[A-Z]\w+, )"(\w+)"`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 30 {
		t.Fatalf("found only %q", names)
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/gateways/smtp.md doesn't name %s", name)
		}
	}
}
