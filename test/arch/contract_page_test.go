package arch_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// contractRule is a rule on its page.
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

// readContract returns the rules of a page, and the errors in their format. A rule is a line that starts with its
// anchor and its number, optional lines of text, a \ at their end, and a last line with its tests. Every number from 1
// occurs exactly once, so that none is reused, and within a section they ascend.
func readContract(prefix, page string) (rules []contractRule, problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	seen, last, open, blank := map[int]bool{}, 0, false, false // blank: after the text of the open rule
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
			seen[n], last, open, blank = true, n, !rules[len(rules)-1].withdrawn, false
		case strings.HasPrefix(line, "#"):
			if last = 0; open {
				problem("line %d: the rule before names no tests", i+1)
				open = false
			}
		case testsLine.MatchString(line) && open:
			open = false
			r := &rules[len(rules)-1]
			text, broken := strings.CutSuffix(r.text, `\`)
			if r.text = text; broken == blank {
				problem("line %d: the text before it does not end with either a \\ or a blank line, so the tests do not start a line", i+1)
			}
			for _, name := range strings.Split(testsLine.FindStringSubmatch(line)[1], ", ") {
				r.tests = append(r.tests, strings.Trim(name, "`"))
			}
		case open && !blank && line == "":
			blank = true
		case open && !blank && strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "  Tests:"):
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
		rules, problems := readContract(p.prefix, string(readFile(t, p.path)))
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

func TestReadContract(t *testing.T) {
	const good = "# Page\n\n- <a id=\"x1\"></a>**X1** One,\n  and more.\\\n  Tests: `a.TestOne`, `b/c.TestTwo`.\n- <a id=\"x3\"></a>**X3** Three.\\\n  Tests: `a.TestOne`.\n\n" +
		"## Other\n\n- <a id=\"x2\"></a>**X2** *Withdrawn* in 1.2.\n- <a id=\"x4\"></a>**X4** Four:\n  - A,\n  - B.\n\n  Tests: `a.TestOne`.\n\nProse.\n"
	rules, problems := readContract("X", good)
	want := []contractRule{
		{number: 1, text: "One, and more.", tests: []string{"a.TestOne", "b/c.TestTwo"}},
		{number: 3, text: "Three.", tests: []string{"a.TestOne"}},
		{number: 2, text: "*Withdrawn* in 1.2.", withdrawn: true},
		{number: 4, text: "Four: - A, - B.", tests: []string{"a.TestOne"}},
	}
	if fmt.Sprint(rules) != fmt.Sprint(want) || len(problems) != 0 {
		t.Errorf("rules %+v, problems %q; want %+v and none", rules, problems, want)
	}
	for change, want := range map[string]string{
		"  Tests: `a.TestOne`, `b/c.TestTwo`.\n=>":             "names no tests",
		"Three.\\=>Three.":                                     "does not end with",
		"  - B.\n=>  - B.\\\n":                                 "does not end with",
		"  - B.\n\n=>  - B.\n":                                 "does not end with",
		"  - B.\n\n=>  - B.\n\n  More.\n":                      "no line of one",
		"  - B.\n\n=>  - B.\n\n\n":                             "no line of one",
		"  - B.\n\n  Tests: `a.TestOne`.=>  - B.":              "no line of one",
		"  - B.\n\n=>  - B.\n\n## C\n":                         "names no tests",
		"**X3**=>**X1**":                                       "there twice",
		"id=\"x3\"=>id=\"x5\"":                                 "has the anchor",
		"\n## Other\n=>\n":                                     "X2 comes behind X3",
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
