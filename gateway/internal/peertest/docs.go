package peertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// CheckDocs checks that a page names each setting and each error code of the driver in the current directory and of
// the shared packages that it uses. It must find at least the given number of each.
func CheckDocs[Settings any](t *testing.T, page string, least int) {
	t.Helper()
	text := Page(t, page)
	names := append(Members(reflect.TypeFor[Settings]()), codes(t)...)
	for f := range reflect.TypeFor[Settings]().Fields() {
		if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		for _, name := range Members(f.Type.Elem()) { // a page can show them within their list
			if !regexp.MustCompile("`[^`\n]*\\b" + name + "\\b").MatchString(text) {
				t.Errorf("%s doesn't name %s of %s", page, name, f.Name)
			}
		}
	}
	CheckNames(t, page, names, least)
	checkForm(t, strings.TrimSuffix(filepath.Base(page), ".md"), Members(reflect.TypeFor[Settings]()))
}

// checkForm checks that the operators' form of a kind asks for each setting. It skips objects, and files that can replace a secret.
func checkForm(t *testing.T, kind string, members []string) {
	t.Helper()
	var forms map[string][]struct{ Name string }
	if err := json.Unmarshal([]byte(Page(t, "../../messaging/verbs/gateway_forms.json")), &forms); err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{"code_template": true, "preset_templates": true}
	for _, one := range forms[kind] {
		name, _, _ := strings.Cut(one.Name, ".")
		asked[name] = true
	}
	for _, name := range members {
		if secret, ok := strings.CutSuffix(name, "_file"); !asked[name] && !(ok && slices.Contains(members, secret)) {
			t.Errorf("the form of %s doesn't ask for %s", kind, name)
		}
	}
}

// Page reads a page of the documentation.
func Page(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// CheckNames checks that a page contains each name in backquotes, and that there are at least least names.
func CheckNames(t *testing.T, page string, names []string, least int) {
	t.Helper()
	text := Page(t, page)
	if len(names) < least {
		t.Fatalf("found only %d: %q", len(names), names)
	}
	for _, name := range names {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s doesn't name %s", page, name)
		}
	}
}

// Examples returns the settings of a page's YAML examples as JSON. Files that they name contain the secret.
func Examples(t *testing.T, page, secret string) (all []json.RawMessage) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(Page(t, page), -1) {
		_, text, _ := strings.Cut(e[1], "settings:\n")
		text, _, _ = strings.Cut(text, "\nemail:") // a section after gateways
		var settings map[string]any
		if err := yaml.Unmarshal([]byte(regexp.MustCompile(`/etc/griot/[a-z.]+`).ReplaceAllString(text, file)), &settings); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	return all
}

// Members lists the JSON names of a structure's fields, including embedded ones.
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

// codes lists the error codes of a driver and of the shared packages that it uses.
func codes(t *testing.T) []string {
	t.Helper()
	globs := []string{"*.go"}
	for words, file := range map[string]string{`"example.com/griot/gateway/internal/httpcall"`: "../internal/httpcall/outcome.go", "out.Check": "../check.go", "out.CheckRef": "../ids.go"} {
		if uses(t, words) {
			globs = append(globs, file)
		}
	}
	return Codes(t, globs...)
}

// Codes lists the error codes in files other than tests. Each glob must match a file.
func Codes(t *testing.T, globs ...string) (names []string) {
	t.Helper()
	for _, source := range sources(t, globs...) {
		for _, m := range regexp.MustCompile(`(?:[cC]ode\w*(?:: | += |, e\.RetryAfter = )|e\.Code = gateway\.\w+, |gateway\.[A-Z]\w+, |"code": )"([a-z_]+)"`).FindAllStringSubmatch(source, -1) {
			names = append(names, m[1])
		}
	}
	return names
}

func uses(t *testing.T, words string) bool {
	t.Helper()
	return slices.ContainsFunc(sources(t, "*.go"), func(s string) bool { return strings.Contains(s, words) })
}

func sources(t *testing.T, globs ...string) (all []string) {
	t.Helper()
	for _, glob := range globs {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", glob, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				all = append(all, Page(t, file))
			}
		}
	}
	return all
}
