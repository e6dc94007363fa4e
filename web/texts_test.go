package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"example.com/griot/internal/i18n"
)

// sources returns the text of the files that match, by name.
func sources(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(text)
		}
	}
	return texts
}

// A saying is a call of t in a template.
type saying struct {
	key  string
	args int
}

// sayings returns the calls of t below a node.
func sayings(t *testing.T, node parse.Node) (found []saying) {
	t.Helper()
	branch := func(pipe *parse.PipeNode, lists ...*parse.ListNode) {
		found = append(found, sayings(t, pipe)...)
		for _, list := range lists {
			if list != nil {
				found = append(found, sayings(t, list)...)
			}
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			found = append(found, sayings(t, child)...)
		}
	case *parse.ActionNode:
		branch(n.Pipe)
	case *parse.IfNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.RangeNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.WithNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.PipeNode:
		for _, command := range n.Cmds {
			found = append(found, sayings(t, command)...)
		}
	case *parse.CommandNode:
		if name, ok := n.Args[0].(*parse.IdentifierNode); ok && name.Ident == "t" {
			key, ok := n.Args[1].(*parse.StringNode)
			if !ok {
				t.Fatalf("%s: a key that is not written out can't be checked", n)
			}
			found = append(found, saying{key.Text, len(n.Args) - 2})
		}
		for _, arg := range n.Args {
			if pipe, ok := arg.(*parse.PipeNode); ok {
				found = append(found, sayings(t, pipe)...)
			}
		}
	}
	return found
}

func TestTexts_AreThereForEveryTemplate(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for name, text := range sources(t, "templates/*.html", "templates/*/*.html") {
		trees := map[string]*parse.Tree{}
		tree := parse.New(name)
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(text, "", "", trees); err != nil {
			t.Fatal(err)
		}
		for _, tree := range trees {
			for _, s := range sayings(t, tree.Root) {
				shown[s.key] = true
				for _, lang := range i18n.Langs() {
					if !lang.Has(s.key) {
						t.Errorf("%s: no text %q in %s", name, s.key, lang)
					}
					if verbs := strings.Count(lang.T(s.key), "(MISSING)"); verbs != s.args {
						t.Errorf("%s: %q in %s takes %d arguments and gets %d", name, s.key, lang, verbs, s.args)
					}
				}
			}
		}
	}
	used := regexp.MustCompile(`"((?:component|demo|tenant|operator)\.[a-z_.]+)"`)
	for name, text := range sources(t, "components.go", "../cmd/griot/demo/*.go", "../auth/dashboard/*.go", "../operator/*.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue // it can contain names of events, which look similar
		}
		for _, match := range used.FindAllStringSubmatch(text, -1) {
			shown[match[1]] = true
			if !i18n.FR.Has(match[1]) {
				t.Errorf("no text %q", match[1])
			}
		}
	}
	for _, key := range i18n.FR.Keys() {
		page, _, _ := strings.Cut(key, ".")
		if slices.Contains([]string{"layout", "shell", "component", "waiting", "plain", "terms", "privacy", "phones", "error", "errors", "search", "reference", "book", "demo", "tenant", "operator"}, page) && !shown[key] {
			t.Errorf("no page shows %s", key)
		}
	}
}

// Everything that scripts look up must be on their page: elements, parts, and sentences.
func TestScripts_FindWhatTheyLookFor(t *testing.T) {
	t.Parallel()
	looks := []struct{ pattern, form string }{
		{`byId\("([^"]+)"\)`, `id="%"`},
		{`\btext\("([^"]+)"\)`, `data-key="%"`},
		{`\bcloneTemplate\("([^"]+)"\)`, `id="part-%"`},
		{`find\("([^"]+)"\)`, `%`},
		{`querySelector\("\.([^"]+)"\)`, `%`},
	}
	found := make([]int, len(looks))
	shared := []string{"static/js/call.js", "static/js/page.js"}
	for page, patterns := range map[string][]string{
		"templates/waiting.html": {"static/js/waiting.js", "static/js/waiting/*.js"},
		"templates/phones.html":  {"static/js/phones.js", "static/js/phones/*.js"},

		"templates/dashboard_invitation.html": {"static/js/invitation.js"},

		"templates/docs/reference.html": {"static/js/search.js"},
		"templates/docs/errors.html":    {"static/js/search.js"},
		"templates/docs/book.html":      {"static/js/book.js", "static/js/copy.js"},
		"templates/docs/operation.html": {"static/js/operation.js", "static/js/docs/*.js", "static/js/copy.js"},
	} {
		html := sources(t, page)[page]
		for name, script := range sources(t, append(patterns, shared...)...) {
			if slices.Contains(shared, name) {
				script = strings.ReplaceAll(script, `byId("texts")`, "")
			}
			for i, look := range looks {
				for _, match := range regexp.MustCompile(look.pattern).FindAllStringSubmatch(script, -1) {
					found[i]++
					if !strings.Contains(html, strings.ReplaceAll(look.form, "%", match[1])) {
						t.Errorf("%s looks for %s, which is not in %s", name, match[0], page)
					}
				}
			}
			if strings.Contains(script, "innerHTML") || strings.Contains(script, "insertAdjacentHTML") || strings.Contains(script, "document.write") {
				t.Errorf("%s writes HTML", name)
			}
		}
	}
	for i, n := range found {
		if n == 0 {
			t.Errorf("no script has %s: the test looks for nothing", looks[i].pattern)
		}
	}
}

// Nothing is loaded from other sites, because the policy forbids it and phones with a slow connection benefit.
func TestFiles_LoadNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	allowed := strings.NewReplacer(`xmlns="http://www.w3.org/2000/svg"`, "", `xmlns='http://www.w3.org/2000/svg'`, "", "https://wa.me/", "")
	for name, text := range sources(t, "templates/*.html", "templates/*/*.html", "static/*/*.*", "static/js/*/*.js", "button/*.*") {
		if found := regexp.MustCompile(`(?i)(https?://|["'(=]//)[a-z0-9][^\s"]*`).FindString(allowed.Replace(text)); found != "" {
			t.Errorf("%s names %s", name, found)
		}
	}
}
