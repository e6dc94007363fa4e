package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	commandEnds = regexp.MustCompile(`\s(&&|\||>|#|2>).*$`)
)

// commandLines returns the command lines of the program on a page: lines of code, and code within a sentence.
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
			if strings.HasPrefix(s, "griot ") && !strings.HasPrefix(s, "griot is ") && !strings.HasPrefix(s, "griot has ") && !strings.HasPrefix(s, "griot: ") {
				found = append(found, s)
			}
		}
	}
	return found
}

// Every command and flag on a page exists, including those that no test runs.
func TestDocs_NameCommands(t *testing.T) {
	t.Parallel()
	commands := 0
	for _, page := range systemtest.MarkdownFiles(t) {
		if page == "CHANGELOG.md" || strings.HasPrefix(page, "docs/decisions/") || strings.HasPrefix(page, "griot-whatsapp/") {
			continue // an old command, or another program
		}
		b, err := os.ReadFile(systemtest.Root + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandLines(string(b)) {
			commands++
			checkCommand(t, page, line)
		}
	}
	if commands < 250 {
		t.Errorf("%d commands were found: are they still seen?", commands)
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
