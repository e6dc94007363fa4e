package griot_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	citedRule = regexp.MustCompile(`\b[LM][1-9][0-9]{0,3}\b`)
	// section is a part of a standard or of a page: whoever has one names it.
	section = regexp.MustCompile(`§`)
	// sources are what a section may be of: anybody can read them.
	sources = regexp.MustCompile(`RFC [0-9]+|SMPP 3\.4|\bTS 2[0-9]\.[0-9]+|docs/gateway-protocol\.md|docs/contract/`)
	// elsewhere is what a comment says of a document that is not in the repository.
	elsewhere = regexp.MustCompile(`(?i)\bdocument [12]\b|\bthe (spec|specification|contract)\b|\bsections? [0-9]|\bDESIGN\b`)
	// unnamed is a document without its name. Where a package has documents of its own, it is one of these.
	unnamed     = regexp.MustCompile(`(?i)\bthe documents?\b`)
	ofDocuments = []string{"openapi", "web", "gateway", "gateways", "tools"}
)

// citationProblems returns what is wrong with the citations of a comment. about is what else its package says.
func citationProblems(dir, comment, about string, rules map[string]bool) (problems []string) {
	for _, number := range citedRule.FindAllString(comment, -1) {
		if !rules[number] {
			problems = append(problems, number+" is no rule of docs/contract")
		}
	}
	if section.MatchString(comment) && !sources.MatchString(comment) && !sources.MatchString(about) {
		problems = append(problems, "a section of nothing that is named: cite an RFC, docs/gateway-protocol.md, or a rule of docs/contract")
	}
	if found := elsewhere.FindString(comment); found != "" {
		problems = append(problems, found+" is not in the repository: cite a rule of docs/contract, an operation of OpenAPI, or an RFC")
	}
	if found := unnamed.FindString(comment); found != "" && !withinAny(dir, ofDocuments) && !strings.Contains(comment, "OpenAPI") {
		problems = append(problems, found+" has no name: cite a rule of docs/contract, or say OpenAPI where that is meant")
	}
	return problems
}

// Comments cite what a reader of the repository can look up.
func TestCitations(t *testing.T) {
	rules := map[string]bool{}
	for number := range contracts(t) {
		rules[number] = true
	}
	byDir := map[string][]*ast.File{}
	set := token.NewFileSet()
	eachFile(t, func(name string) {
		switch path.Ext(name) {
		case ".go":
			f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			byDir[path.Dir(name)] = append(byDir[path.Dir(name)], f)
		case ".md", ".yaml":
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !within(name, "docs") && !within(name, "openapi") {
				return
			}
			for _, number := range citedRule.FindAllString(string(text), -1) {
				if !rules[number] {
					t.Errorf("%s: %s is no rule of docs/contract", name, number)
				}
			}
		}
	})
	cited := 0
	for dir, files := range byDir {
		var about strings.Builder
		for _, f := range files {
			for _, group := range f.Comments {
				about.WriteString(group.Text())
			}
		}
		for _, f := range files {
			for _, group := range f.Comments {
				text := strings.Join(strings.Fields(group.Text()), " ")
				cited += len(citedRule.FindAllString(text, -1))
				for _, problem := range citationProblems(dir, text, about.String(), rules) {
					t.Errorf("%s: %s", set.Position(group.Pos()), problem)
				}
			}
		}
	}
	if cited == 0 {
		t.Error("no comment cites a rule: this test looks for the wrong thing")
	}
}

func TestCitationProblems(t *testing.T) {
	rules := map[string]bool{"L1": true, "M12": true}
	for _, tt := range []struct {
		dir, comment, about string
		want                int
	}{
		{"auth/api", "A token has 900 seconds (L1, M12).", "", 0},
		{"auth/api", "As L2 and M1 have it.", "", 2},
		{"auth/api", "HTML1, L0 and LL1 are no numbers of rules.", "", 0},
		{"auth/api", "Redirect adds parameters (RFC 6749 §3.1.2).", "", 0},
		{"auth/api", "Redirect adds parameters (§3.1.2).", "", 1},
		{"gateway/remote", "Info is the answer (§3).", "It speaks docs/gateway-protocol.md.", 0},
		{"auth/api", "The table of section 4 of document 1, as the spec says.", "", 1},
		{"auth/api", "In the order of the document's statuses.", "", 1},
		{"auth/api", "In the order of the OpenAPI document: the document's routes.", "", 0},
		{"openapi/openapitest", "The document has no such operation.", "", 0},
		{"auth/api", "A document, or a specification.", "", 0},
	} {
		if got := citationProblems(tt.dir, tt.comment, tt.about, rules); len(got) != tt.want {
			t.Errorf("%s, %q: %q, want %d problems", tt.dir, tt.comment, got, tt.want)
		}
	}
}

// eachFile calls f with each file of the repository, those of other modules too, by its slash-separated path.
func eachFile(t *testing.T, f func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			f(filepath.ToSlash(name))
		case name != "." && (strings.HasPrefix(base, ".") || slices.Contains([]string{"node_modules", "testdata"}, base)):
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
