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
	docLink     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docHeading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	commandEnds = regexp.MustCompile(`\s(&&|\||>|#|2>).*$`)
	notInAnchor = regexp.MustCompile("[^a-z0-9 _-]")
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

// Every command and flag that the pages for operators name is there, and every page and heading that they lead to.
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
		for _, m := range docLink.FindAllStringSubmatch(text, -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			info, err := os.Stat(target)
			if err != nil {
				t.Errorf("%s leads to %s, which is not there", page, m[1])
				continue
			}
			if anchor != "" && !info.IsDir() && !hasAnchor(read(target), anchor) {
				t.Errorf("%s leads to %s: there is no such heading", page, m[1])
			}
		}
	}
	if commands < 40 {
		t.Errorf("%d commands were found in %d pages: are they still seen?", commands, len(pages))
	}
	contents := read(dir + "/README.md")
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(contents, "("+name+")") {
			t.Errorf("the contents have no %s", name)
		}
	}
}

func hasAnchor(page, anchor string) bool {
	for _, m := range docHeading.FindAllStringSubmatch(page, -1) {
		if strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
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
