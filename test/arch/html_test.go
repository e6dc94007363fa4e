package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every page that the documentation and the examples show people to copy fits on a phone and names its encoding.
func TestExamples_PagesAreForPhones(t *testing.T) {
	t.Parallel()
	start := regexp.MustCompile(`(?i)<!doctype html>`)
	pages := 0
	for _, dir := range []string{"../../docs", "../../examples"} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if d != nil && d.Name() == "node_modules" {
					return filepath.SkipDir
				}
				return err
			}
			b, err := os.ReadFile(path)
			for _, at := range start.FindAllIndex(b, -1) {
				pages++
				head, _, _ := strings.Cut(string(b[at[0]:]), "</title>")
				for _, want := range []string{`<meta charset="utf-8">`, `<meta name="viewport" content="width=device-width`} {
					if !strings.Contains(head, want) {
						t.Errorf("%s: the page has no %s before its title", path, want)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if pages < 6 {
		t.Errorf("found %d pages, want at least 6", pages)
	}
}
