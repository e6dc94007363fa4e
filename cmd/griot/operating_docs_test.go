package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	commandEnds = regexp.MustCompile(`\s(&&|\||>|#|2>).*$`)
)

// commandLines returns what a page says of the program's command line: lines of code, and spans within a sentence.
func commandLines(page string) (found []string) {
	for line := range strings.Lines(page) {
		var spans []string
		if code, ok := strings.CutPrefix(line, "    "); ok {
			spans = append(spans, code)
		}
		for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
			spans = append(spans, m[1])
		}
		for _, s := range spans {
			if _, behind, ok := strings.Cut(s, "| griot "); ok {
				s = "griot " + behind
			}
			s = strings.TrimSpace(commandEnds.ReplaceAllString(strings.TrimSpace(s), ""))
			if strings.HasPrefix(s, "griot ") && !strings.HasPrefix(s, "griot is ") && !strings.HasPrefix(s, "griot: ") {
				found = append(found, s)
			}
		}
	}
	return found
}

// Every command and flag that the pages for operators name is there.
func TestOperatingDocs(t *testing.T) {
	const dir = "../../docs/operating"
	pages, err := filepath.Glob(dir + "/*.md")
	alerts, errAlerts := filepath.Glob(dir + "/alerts/*.md")
	if err != nil || errAlerts != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v, %v", len(pages), err, errAlerts)
	}
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v", err)
		}
		return string(b)
	}
	commands := 0
	for _, page := range append(pages, alerts...) {
		text := read(page)
		for _, line := range commandLines(text) {
			commands++
			checkCommand(t, page, line)
		}
	}
	if commands < 40 {
		t.Errorf("%d commands were found in %d pages: are they still seen?", commands, len(pages))
	}
}

// checkCommand checks that the program has a command with these flags.
func checkCommand(t *testing.T, page, line string) {
	t.Helper()
	c, rest, err := root().Find(strings.Fields(line)[1:])
	if err != nil {
		t.Errorf("%s: %s: %v", page, line, err)
		return
	}
	if c.HasSubCommands() && !strings.Contains(c.Use, " ") && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && rest[0] != "…" {
		t.Errorf("%s: %s: %s has no command %s", page, line, c.CommandPath(), rest[0])
	}
	for _, word := range rest {
		name, isFlag := strings.CutPrefix(strings.Trim(word, "[]"), "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && c.Flag(name) == nil && name != "help" && name != "version" {
			t.Errorf("%s: %s: %s has no flag --%s", page, line, c.CommandPath(), name)
		}
	}
}
