package arch_test

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	decisionName  = regexp.MustCompile(`^([0-9]{4})-[a-z0-9-]+\.md$`)
	decisionState = regexp.MustCompile(`^Accepted on ([0-9-]+)\.((?: (?:Adjusted|Replaced) by \[[0-9]{4}\]\([^)]*\) on [0-9-]+\.)*)$`)
	stateChange   = regexp.MustCompile(` (Adjusted|Replaced) by \[([0-9]{4})\]\(([^)]*)\) on ([0-9-]+)\.`)
	changesOther  = regexp.MustCompile(`\b(Adjusts|Replaces) \[([0-9]{4})\]`)
	missingNumber = regexp.MustCompile(`(?m)^- ([0-9]{4}): .`)
)

// decisionProblems returns the errors in the decisions, which are files by name. A page has the date and the state under
// its title, and the list in README.md repeats the state. Both decisions of a change name it. Every number from 1 has a
// page or an explanation.
func decisionProblems(files map[string]string) (problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	list, missing, _ := strings.Cut(files["README.md"], "\n## Missing numbers\n")
	numbers := map[string]string{}                           // the file of each
	changes, changed := map[string]bool{}, map[string]bool{} // what the later and the earlier decisions name
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == "README.md" {
			continue
		}
		m := decisionName.FindStringSubmatch(name)
		if m == nil {
			problem("%s isn't named like 0001-two-words.md", name)
			continue
		}
		number := m[1]
		if other := numbers[number]; other != "" {
			problem("%s and %s have the same number", other, name)
		}
		numbers[number] = name
		for _, c := range changesOther.FindAllStringSubmatch(files[name], -1) {
			changes[number+" "+c[1]+" "+c[2]] = true
		}
		lines := strings.SplitN(files[name], "\n", 5)
		title, ok := strings.CutPrefix(lines[0], "# "+number+" ")
		if !ok || len(lines) < 5 || lines[1] != "" || lines[3] != "" {
			problem("%s doesn't start with its number and title, an empty line, its state, and an empty line", name)
			continue
		}
		state := decisionState.FindStringSubmatch(lines[2])
		if state == nil {
			problem(`%s: %q is neither "Accepted on 2026-11-20." nor this with "Replaced by [0031](0031-page.md) on 2026-11-22."`, name, lines[2])
			continue
		}
		entry, dates := "- ["+number+" "+title+"]("+name+")", []string{state[1]}
		for _, c := range stateChange.FindAllStringSubmatch(state[2], -1) {
			if files[c[3]] == "" || !strings.HasPrefix(c[3], c[2]+"-") {
				problem("%s: there is no page %s of a decision %s", name, c[3], c[2])
			}
			changed[c[2]+" "+map[string]string{"Adjusted": "Adjusts", "Replaced": "Replaces"}[c[1]]+" "+number] = true
			entry += " (" + strings.ToLower(c[1]) + " by " + c[2] + ")"
			dates = append(dates, c[4])
		}
		for _, date := range dates {
			if _, err := time.Parse(time.DateOnly, date); err != nil {
				problem("%s: %s is no date", name, date)
			}
		}
		if !slices.IsSorted(dates) {
			problem("%s: the dates %v don't ascend", name, dates)
		}
		if !strings.Contains(list+"\n", "\n"+entry+"\n") {
			problem("README.md doesn't have the line %q", entry)
		}
	}
	for change := range changes {
		if !changed[change] {
			problem("%s, but the latter's state doesn't say so", change)
		}
	}
	for change := range changed {
		if !changes[change] {
			problem("%s, as the latter's state says, but the former doesn't say so", change)
		}
	}
	return append(problems, numberProblems(numbers, missing)...)
}

// numberProblems returns the numbers from 1 to the last that have neither a page nor a line in the section about missing
// numbers, and those that have both.
func numberProblems(pages map[string]string, section string) (problems []string) {
	known := maps.Clone(pages)
	for _, m := range missingNumber.FindAllStringSubmatch(section, -1) {
		if page := pages[m[1]]; page != "" {
			problems = append(problems, fmt.Sprintf("README.md explains the missing number %s, which %s has", m[1], page))
		}
		known[m[1]] = "README.md"
	}
	last := slices.Max(slices.Collect(maps.Keys(known)))
	for n := 1; fmt.Sprintf("%04d", n) < last; n++ {
		if number := fmt.Sprintf("%04d", n); known[number] == "" {
			problems = append(problems, number+" has neither a page nor a line about missing numbers in README.md")
		}
	}
	return problems
}

func TestDecisions(t *testing.T) {
	entries, err := fs.ReadDir(repository, "docs/decisions")
	if err != nil || len(entries) < 50 {
		t.Fatalf("%d files, %v: are they still seen?", len(entries), err)
	}
	files := map[string]string{}
	for _, e := range entries {
		files[e.Name()] = string(readFile(t, "docs/decisions/"+e.Name()))
	}
	for _, p := range decisionProblems(files) {
		t.Error(p)
	}
}

func TestDecisionProblems(t *testing.T) {
	good := map[string]string{
		"0001-a.md": "# 0001 A\n\nAccepted on 2026-11-20. Adjusted by [0003](0003-c.md) on 2026-11-21. Replaced by [0004](0004-d.md) on 2026-11-22.\n\nA.\n",
		"0003-c.md": "# 0003 C\n\nAccepted on 2026-11-21.\n\nC. Adjusts [0001](0001-a.md).\n",
		"0004-d.md": "# 0004 D\n\nAccepted on 2026-11-22.\n\nReplaces [0001](0001-a.md).\n",
		"README.md": "# Decisions\n\n- [0001 A](0001-a.md) (adjusted by 0003) (replaced by 0004)\n- [0003 C](0003-c.md)\n- [0004 D](0004-d.md)\n\n## Missing numbers\n\n- 0002: never used.\n",
	}
	if problems := decisionProblems(good); len(problems) != 0 {
		t.Fatalf("problems without an error: %q", problems)
	}
	for name, c := range map[string]struct{ file, was, is string }{
		"no state":                  {"0003-c.md", "Accepted on 2026-11-21.", "C."},
		"another state":             {"0003-c.md", "Accepted", "Proposed"},
		"no empty line":             {"0003-c.md", "21.\n\n", "21.\n"},
		"not a date":                {"0003-c.md", "2026-11-21", "2026-11-31"},
		"a state before its time":   {"0001-a.md", "on 2026-11-22", "on 2026-11-20"},
		"another number":            {"0003-c.md", "# 0003", "# 0005"},
		"replaced by no page":       {"0001-a.md", "(0004-d.md)", "(0004-e.md)"},
		"replaced by another page":  {"0001-a.md", "(0004-d.md)", "(0003-c.md)"},
		"a change without a state":  {"0001-a.md", " Adjusted by [0003](0003-c.md) on 2026-11-21.", ""},
		"a state without a change":  {"0004-d.md", "Replaces", "Reads"},
		"not in the list":           {"README.md", "- [0003 C](0003-c.md)\n", ""},
		"another title in the list": {"README.md", "[0003 C]", "[0003 E]"},
		"no state in the list":      {"README.md", " (replaced by 0004)", ""},
		"a missing number":          {"README.md", "- 0002: never used.\n", ""},
		"a present number":          {"README.md", "- 0002:", "- 0003: never used.\n- 0002:"},
	} {
		files := maps.Clone(good)
		if files[c.file] = strings.Replace(good[c.file], c.was, c.is, 1); files[c.file] == good[c.file] {
			t.Errorf("%s: nothing was changed", name)
		}
		if problems := decisionProblems(files); len(problems) == 0 {
			t.Errorf("%s: no problem was found", name)
		}
	}
	for _, name := range []string{"0003-e.md", "5-e.md", "0005_e.md"} {
		files := maps.Clone(good)
		files[name] = "# 0003 E\n\nAccepted on 2026-11-21.\n\nE.\n"
		files["README.md"] = strings.Replace(files["README.md"], "\n\n##", "\n- [0003 E]("+name+")\n\n##", 1)
		if problems := decisionProblems(files); len(problems) != 1 {
			t.Errorf("%s: %q, want one problem", name, problems)
		}
	}
}
