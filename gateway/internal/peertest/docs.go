package peertest

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Members lists the names that a structure has in JSON, with those of what is embedded in it.
func Members(of reflect.Type) (names []string) {
	for f := range of.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			names = append(names, Members(f.Type)...)
		} else if name := f.Tag.Get("json"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Documented holds a page against the driver in the current folder: it names each of the settings, and each
// code that the sources return, of which there are at least so many.
func Documented[Settings any](t *testing.T, page string, least int) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	names := Members(reflect.TypeFor[Settings]())
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../internal/httpcall/outcome.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(sources, more...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:Code(?: |: |\w+ += )|gateway\.[A-Z]\w+, )"(\w+)"`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < least {
		t.Fatalf("found only %q", names)
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s doesn't name %s", page, name)
		}
	}
}
