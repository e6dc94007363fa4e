package arch_test

import (
	"cmp"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// A contractPage states every rule of a service, each with a number and the tests that enforce it.
type contractPage struct {
	path, prefix, openapi, errors string // errors is the service's part of docs/errors.md
	// whole reports whether the page must name every field of an operation.
	whole func(method, path string) bool
}

var contractPages = []contractPage{
	{path: "docs/contract/login.md", prefix: "L", openapi: "openapi/auth.yaml", errors: "Login by message", whole: func(_, path string) bool {
		return !slices.ContainsFunc([]string{"stats", "people", "appearance", "webhook"}, func(part string) bool { return strings.HasPrefix(path, "/manage/"+part) })
	}},
	{path: "docs/contract/messaging.md", prefix: "M", openapi: "openapi/messaging.yaml", errors: "Messaging API", whole: func(_, path string) bool {
		return slices.ContainsFunc([]string{"/api/send", "/api/send/batch", "/api/status/{messageId}", "/api/me", "/api/partner/whatsapp/groups", "/api/otp/send", "/api/otp/verify", "/api/svc-analytics", "/api/svc-logs", "/mcp"},
			func(one string) bool { return path == one }) || strings.HasPrefix(path, "/api/inbox/")
	}},
}

// Every rule of the services names tests that enforce it, and they exist.
func TestContract_EveryRuleHasItsTests(t *testing.T) {
	known := testNames(t)
	for number, r := range contracts(t) {
		for i, name := range r.tests {
			if _, ok := known[name]; !ok {
				t.Errorf("%s is held by %s, which does not exist", number, name)
			}
			if slices.Contains(r.tests[:i], name) {
				t.Errorf("%s names %s twice", number, name)
			}
		}
	}
}

// The last line of a test's comment lists the rules that name the test, and no others.
func TestContract_EveryTestNamesItsRules(t *testing.T) {
	of := map[string][]string{}
	for number, r := range contracts(t) {
		for _, name := range r.tests {
			of[name] = append(of[name], number)
		}
	}
	for name, comment := range testNames(t) {
		if want := rulesLine(of[name]); statedRules(comment) != want {
			t.Errorf("%s has the line %q, want %q", name, statedRules(comment), want)
		}
	}
}

// rulesLine returns the line of a test that enforces rules, or "" for none.
func rulesLine(rules []string) string {
	if len(rules) == 0 {
		return ""
	}
	slices.SortFunc(rules, func(a, b string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return "Rules: " + strings.Join(rules, ", ") + "."
}

// statedRules returns the last line of a test's comment if it lists rules.
func statedRules(comment string) string {
	lines := strings.Split(strings.TrimSpace(comment), "\n")
	if last := lines[len(lines)-1]; strings.HasPrefix(last, "Rules: ") {
		return last
	}
	return ""
}

func TestRulesLine(t *testing.T) {
	for comment, want := range map[string]string{
		"": "", "It holds.\n": "", "It holds.\nRules: M2.\n": "Rules: M2.", "Rules: L1.\nIt holds.\n": "",
	} {
		if got := statedRules(comment); got != want {
			t.Errorf("%q: got %q, want %q", comment, got, want)
		}
	}
	if got, want := rulesLine([]string{"M3", "L20", "L100", "L3"}), "Rules: L3, L20, L100, M3."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every operation of a service has a rule, and so does each of its errors. For operations of the service itself, as
// opposed to its pages or its administration, so does every parameter and every field of bodies and successful
// responses.
func TestContract_CoversTheDocument(t *testing.T) {
	for _, p := range contractPages {
		page := readFile(t, p.path)
		doc, err := openapi3.NewLoader().LoadFromData(readFile(t, p.openapi))
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{} // names in code on the page
		for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(string(page), -1) {
			names[strings.Trim(code, "`")] = true
			for _, name := range regexp.MustCompile(`[\w-]+`).FindAllString(code, -1) {
				names[name] = true
			}
		}
		for _, code := range errorCodes(t, p.errors) {
			if !names[code] {
				t.Errorf("%s says nothing of the error %s", p.path, code)
			}
		}
		rules, _ := readContract(p.prefix, string(page))
		for address, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				if name := "`" + method + " " + address; !slices.ContainsFunc(rules, func(r contractRule) bool {
					return strings.Contains(r.text, name+"`") || strings.Contains(r.text, name+"?")
				}) {
					t.Errorf("%s has no rule of %s %s", p.path, method, address)
				}
				if !p.whole(method, address) {
					continue
				}
				for _, member := range membersOf(op) {
					if !names[member] {
						t.Errorf("%s says nothing of %s of %s %s", p.path, member, method, address)
					}
				}
			}
		}
	}
}

// errorCodes returns the codes of a service according to docs/errors.md.
func errorCodes(t *testing.T, service string) (codes []string) {
	t.Helper()
	_, part, _ := strings.Cut(string(readFile(t, "docs/errors.md")), "\n## "+service+"\n")
	part, _, _ = strings.Cut(part, "\n## ")
	for _, m := range regexp.MustCompile("(?m)^\\| [0-9]{3} \\| `([a-z_]+)`").FindAllStringSubmatch(part, -1) {
		codes = append(codes, m[1])
	}
	if len(codes) == 0 {
		t.Errorf("docs/errors.md has no code of %q: this test looks for the wrong thing", service)
	}
	return codes
}

// membersOf returns the names of an operation's parameters, and of the fields of its bodies and successful responses,
// including nested ones.
func membersOf(op *openapi3.Operation) (names []string) {
	for _, p := range op.Parameters {
		names = append(names, p.Value.Name)
	}
	seen := map[*openapi3.Schema]bool{}
	var walk func(ref *openapi3.SchemaRef)
	walk = func(ref *openapi3.SchemaRef) {
		if ref == nil || ref.Value == nil || seen[ref.Value] {
			return
		}
		s := ref.Value
		seen[s] = true
		for name, member := range s.Properties {
			names = append(names, name)
			walk(member)
		}
		for _, list := range []openapi3.SchemaRefs{s.AllOf, s.OneOf, s.AnyOf, {s.Items}} {
			for _, part := range list {
				walk(part)
			}
		}
	}
	content := func(c openapi3.Content) {
		for _, media := range c {
			walk(media.Schema)
		}
	}
	if op.RequestBody != nil {
		content(op.RequestBody.Value.Content)
	}
	for status, answer := range op.Responses.Map() {
		if status < "400" {
			content(answer.Value.Content)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// testNames returns the comments of all tests, fuzz tests, and examples of the repository by their names, including other
// modules.
func testNames(t *testing.T) map[string]string {
	t.Helper()
	known := map[string]string{}
	eachFile(t, func(name string) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		f, err := parseFile(token.NewFileSet(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name != "TestMain" && isTest(fn.Name.Name) {
				known[path.Dir(name)+"."+fn.Name.Name] = fn.Doc.Text()
			}
		}
	})
	return known
}

func TestTestNames(t *testing.T) {
	known := testNames(t)
	for name, want := range map[string]bool{
		"test/arch.TestTestNames": true, "auth/login.FuzzKeys": true, "client.ExampleClient_Send": true, "auth/login.TestMain": false, "auth/api.TestNothingAtAll": false, "auth/api.newService": false,
	} {
		if _, ok := known[name]; ok != want {
			t.Errorf("%s is known: %v, want %v", name, ok, want)
		}
	}
}

var citedRule = regexp.MustCompile(`\b[LM][1-9][0-9]{0,3}\b`)

// Each rule that a comment, a page, or an OpenAPI document cites exists.
func TestContract_CitedRulesExist(t *testing.T) {
	rules, cited := contracts(t), 0
	check := func(where, text string) {
		for _, number := range citedRule.FindAllString(text, -1) {
			cited++
			if _, ok := rules[number]; !ok {
				t.Errorf("%s: %s is no rule of docs/contract", where, number)
			}
		}
	}
	set := token.NewFileSet()
	eachFile(t, func(name string) {
		switch path.Ext(name) {
		case ".go":
			f, err := parseFile(set, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range f.Comments {
				check(set.Position(group.Pos()).String(), group.Text())
			}
		case ".md", ".yaml":
			if within(name, "docs") || within(name, "openapi") {
				check(name, string(readFile(t, name)))
			}
		}
	})
	if cited == 0 {
		t.Error("nothing cites a rule: this test looks for the wrong thing")
	}
}

// eachFile calls f with each file of the repository, including other modules, by its path from the root.
func eachFile(t *testing.T, f func(name string)) {
	t.Helper()
	err := fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			f(name)
		case name != "." && (strings.HasPrefix(base, ".") || slices.Contains([]string{"node_modules", "testdata"}, base)):
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isTest(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Benchmark", "Fuzz", "Example"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
