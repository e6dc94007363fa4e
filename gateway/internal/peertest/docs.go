package peertest

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Documented holds a page against the driver in the current folder: it names each of the settings, and each code that
// the driver's sources return, or those of the packages that it shares with others; there are at least so many of both.
func Documented[Settings any](t *testing.T, page string, least int) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	names := append(Members(reflect.TypeFor[Settings]()), codes(t)...)
	for f := range reflect.TypeFor[Settings]().Fields() {
		if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		for _, name := range Members(f.Type.Elem()) { // a page may show them within their list
			if !regexp.MustCompile("`[^`\n]*\\b" + name + "\\b").Match(text) {
				t.Errorf("%s doesn't name %s of %s", page, name, f.Name)
			}
		}
	}
	if len(names) < least {
		t.Fatalf("found only %d: %q", len(names), names)
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s doesn't name %s", page, name)
		}
	}
}

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

// codes lists what a driver's errors are called.
func codes(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	shared := map[string]bool{}
	for i := 0; i < len(files); i++ {
		if strings.HasSuffix(files[i], "_test.go") {
			continue
		}
		source, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:[cC]ode\w*(?:: | += |, e\.RetryAfter = )|gateway\.[A-Z]\w+, )"([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, m[1])
		}
		for _, file := range []string{"httpcall/outcome.go", "outbound/outbound.go"} {
			if strings.Contains(string(source), `"griot/gateway/internal/`+filepath.Dir(file)+`"`) && !shared[file] {
				shared[file] = true
				files = append(files, filepath.Join("../internal", file))
			}
		}
	}
	return names
}
