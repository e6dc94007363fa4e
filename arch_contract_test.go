package griot_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// A contractPage states every rule of a service, each with a number and the tests that hold it.
type contractPage struct {
	path, prefix, openapi, errors string // errors is the part of docs/errors.md that is the service's
	// whole reports whether the page has every member of an operation.
	whole func(method, path string) bool
}

var contractPages = []contractPage{
	{path: "docs/contract/login.md", prefix: "L", openapi: "openapi/auth.yaml", errors: "Login by message", whole: func(_, path string) bool {
		return !slices.ContainsFunc([]string{"stats", "people", "appearance", "webhook"}, func(part string) bool { return strings.HasPrefix(path, "/manage/"+part) })
	}},
	{path: "docs/contract/messaging.md", prefix: "M", openapi: "openapi/messaging.yaml", errors: "Messaging", whole: func(_, path string) bool {
		return slices.ContainsFunc([]string{"/api/send", "/api/send/batch", "/api/status/{messageId}", "/api/me", "/api/partner/whatsapp/groups", "/api/otp/send", "/api/otp/verify", "/api/svc-analytics", "/api/svc-logs", "/mcp"},
			func(one string) bool { return path == one }) || strings.HasPrefix(path, "/api/inbox/")
	}},
}

// contractRule is a rule as it stands on its page.
type contractRule struct {
	number    int
	text      string
	tests     []string // "auth/api.TestLogin" is TestLogin of the package in auth/api
	withdrawn bool
}

var (
	ruleLine  = regexp.MustCompile(`^- <a id="([a-z])([1-9][0-9]*)"></a>\*\*([A-Z])([1-9][0-9]*)\*\* (.*)$`)
	testsLine = regexp.MustCompile("^  Tests: ((?:`[^`]+`, )*`[^`]+`)\\.$")
)

// readContract returns the rules of a page, and what is wrong with how they are written: a rule is a line that begins with
// its anchor and its number, perhaps lines of more text, and a last line with its tests. Every number from 1 on is there
// once, so that none is used again, and within a section they ascend.
func readContract(prefix, page string) (rules []contractRule, problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	seen, last, open := map[int]bool{}, 0, false
	for i, line := range strings.Split(page, "\n") {
		switch m := ruleLine.FindStringSubmatch(line); {
		case m != nil:
			if open {
				problem("line %d: the rule before names no tests", i+1)
			}
			n, _ := strconv.Atoi(m[4])
			if m[3] != prefix || m[1] != strings.ToLower(prefix) || m[2] != m[4] {
				problem("line %d: %s%d has the anchor %s%s", i+1, m[3], n, m[1], m[2])
			}
			if seen[n] {
				problem("line %d: %s%d is there twice", i+1, prefix, n)
			}
			if n < last {
				problem("line %d: %s%d comes behind %s%d: numbers ascend within a section", i+1, prefix, n, prefix, last)
			}
			rules = append(rules, contractRule{number: n, text: m[5], withdrawn: strings.HasPrefix(m[5], "*Withdrawn")})
			seen[n], last, open = true, n, !rules[len(rules)-1].withdrawn
		case strings.HasPrefix(line, "#"):
			last = 0
		case testsLine.MatchString(line) && open:
			open = false
			for _, name := range strings.Split(testsLine.FindStringSubmatch(line)[1], ", ") {
				rules[len(rules)-1].tests = append(rules[len(rules)-1].tests, strings.Trim(name, "`"))
			}
		case open && strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "  Tests:"):
			rules[len(rules)-1].text += " " + strings.TrimSpace(line)
		case strings.HasPrefix(line, "- <a") || strings.HasPrefix(line, "  Tests:") || open:
			problem("line %d is no rule, and no line of one: %s", i+1, line)
			open = false
		}
	}
	if open {
		problem("the last rule names no tests")
	}
	for n := range len(rules) {
		if !seen[n+1] {
			problem("%s%d is gone: a rule that does not hold any more stays, as *Withdrawn*, so that its number means nothing else", prefix, n+1)
		}
	}
	return rules, problems
}

// contracts returns the rules of all pages by their numbers, as "L12".
func contracts(t *testing.T) map[string]contractRule {
	t.Helper()
	all := map[string]contractRule{}
	for _, p := range contractPages {
		page, err := os.ReadFile(p.path)
		if err != nil {
			t.Fatal(err)
		}
		rules, problems := readContract(p.prefix, string(page))
		for _, problem := range problems {
			t.Errorf("%s: %s", p.path, problem)
		}
		if len(rules) == 0 {
			t.Errorf("%s has no rules", p.path)
		}
		for _, r := range rules {
			all[p.prefix+strconv.Itoa(r.number)] = r
		}
	}
	return all
}

// Every rule of the services names tests that hold it, and they exist.
func TestContract_EveryRuleHasItsTests(t *testing.T) {
	known := testNames(t)
	for number, r := range contracts(t) {
		for i, name := range r.tests {
			if !known[name] {
				t.Errorf("%s is held by %s, which does not exist", number, name)
			}
			if slices.Contains(r.tests[:i], name) {
				t.Errorf("%s names %s twice", number, name)
			}
		}
	}
}

// Every operation of a service has a rule, and so has each of its errors; of the operations that are the service itself, and
// not its pages or its administration, so has every parameter and every member of bodies and successes.
func TestContract_CoversTheDocument(t *testing.T) {
	for _, p := range contractPages {
		page, err := os.ReadFile(p.path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := openapi3.NewLoader().LoadFromFile(p.openapi)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{} // what the page names in code
		for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(string(page), -1) {
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

// errorCodes returns the codes of a service, as docs/errors.md has them of the catalogue.
func errorCodes(t *testing.T, service string) (codes []string) {
	t.Helper()
	page, err := os.ReadFile("docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "\n## "+service+"\n")
	part, _, _ = strings.Cut(part, "\n## ")
	for _, m := range regexp.MustCompile("(?m)^\\| [0-9]{3} \\| `([a-z_]+)`").FindAllStringSubmatch(part, -1) {
		codes = append(codes, m[1])
	}
	if len(codes) == 0 {
		t.Errorf("docs/errors.md has no code of %q: this test looks for the wrong thing", service)
	}
	return codes
}

// membersOf returns the names of an operation's parameters, and of the members of its bodies and successes with those
// within them.
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

func TestReadContract(t *testing.T) {
	const good = "# Page\n\n- <a id=\"x1\"></a>**X1** One,\n  and more.\n  Tests: `a.TestOne`, `b/c.TestTwo`.\n- <a id=\"x3\"></a>**X3** Three.\n  Tests: `a.TestOne`.\n\n" +
		"## Other\n\n- <a id=\"x2\"></a>**X2** *Withdrawn* in 1.2.\n\nProse.\n"
	rules, problems := readContract("X", good)
	want := []contractRule{
		{number: 1, text: "One, and more.", tests: []string{"a.TestOne", "b/c.TestTwo"}},
		{number: 3, text: "Three.", tests: []string{"a.TestOne"}},
		{number: 2, text: "*Withdrawn* in 1.2.", withdrawn: true},
	}
	if fmt.Sprint(rules) != fmt.Sprint(want) || len(problems) != 0 {
		t.Errorf("rules %+v, problems %q; want %+v and none", rules, problems, want)
	}
	for change, want := range map[string]string{
		"  Tests: `a.TestOne`, `b/c.TestTwo`.\n=>": "names no tests",
		"**X3**=>**X1**":       "there twice",
		"id=\"x3\"=>id=\"x4\"": "has the anchor",
		"\n## Other\n=>\n":     "X2 comes behind X3",
		"- <a id=\"x2\"></a>**X2** *Withdrawn* in 1.2.=>Gone.": "X2 is gone",
		"  Tests: `a.TestOne`.=>  Tests: a.TestOne.":           "no line of one",
		"**X3** Three=>X3 Three":                               "is no rule",
	} {
		from, to, _ := strings.Cut(change, "=>")
		bad := strings.Replace(good, from, to, 1)
		if _, problems := readContract("X", bad); bad == good || !strings.Contains(strings.Join(problems, "\n"), want) {
			t.Errorf("%q: problems %q, want one with %q", change, problems, want)
		}
	}
}

// testNames returns the names of all tests, fuzz tests and examples of the repository, those of other modules too.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	eachFile(t, func(name string) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name != "TestMain" && isTest(fn.Name.Name) {
				known[path.Dir(name)+"."+fn.Name.Name] = true
			}
		}
	})
	return known
}

func TestTestNames(t *testing.T) {
	known := testNames(t)
	for name, want := range map[string]bool{
		"..TestTestNames": true, "auth/login.FuzzKeys": true, "client.ExampleClient_Send": true, "auth/login.TestMain": false, "auth/api.TestNothingAtAll": false, "auth/api.newService": false,
	} {
		if known[name] != want {
			t.Errorf("%s is known: %v, want %v", name, known[name], want)
		}
	}
}
