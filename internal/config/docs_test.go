package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/config"
)

// Every setting on a page exists, and the examples of griot.yaml have no error that parsing finds.
func TestDocs_Settings(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, glob := range []string{"../../README.md", "../../docs/*.md", "../../docs/*/*.md", "../../docs/*/*/*.md", "../../griot-whatsapp/*.md", "../../examples/*/*.md"} {
		found, err := filepath.Glob(glob)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", glob, err)
		}
		pages = append(pages, found...)
	}
	names := config.SettingNames()
	sections := map[string]bool{}
	for _, name := range names {
		if section, _, ok := strings.Cut(name, "."); ok {
			sections[section] = true
		}
	}
	span := regexp.MustCompile("`([a-z]+)\\.([a-z_.]+)(?:: [^`]*)?`")
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	isFile := regexp.MustCompile(`\.(yaml|yml|json|db|key|md|pem|cfg|conf|dump|com)$`)
	found := 0
	for _, page := range pages {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		spans := span.FindAllStringSubmatch(string(b), -1)
		if !strings.Contains(page, "/operating/") {
			spans = nil // on other pages, names of events look like settings: email.bounced
		}
		for _, m := range spans {
			name := m[1] + "." + m[2]
			if !sections[m[1]] || isFile.MatchString(name) {
				continue
			}
			if found++; !slices.Contains(names, name) && !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name+".") }) {
				t.Errorf("%s names the setting %s, which there is not", page, name)
			}
		}
		for _, m := range example.FindAllStringSubmatch(string(b), -1) {
			if first, _, _ := strings.Cut(m[1], ":"); !sections[first] {
				continue // of another program
			}
			found++
			for _, p := range config.ParseFile([]byte(m[1])) {
				t.Errorf("%s: an example: %s", page, p)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d settings were found: are they still seen?", found)
	}
}
