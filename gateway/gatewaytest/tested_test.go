package gatewaytest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// optionalScripts maps checks to the field of Provider without which they don't apply.
var optionalScripts = map[string]string{
	"login refused": "RefuseLogin", "dropped before": "DropBefore", "inbound refused by the sink": "SendInbound",
}

// The table of docs/gateways/tested.md names every driver, and tests that exist.
func TestTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/gateways/tested.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		var cells []string
		for _, c := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cells = append(cells, strings.TrimSpace(c))
		}
		rows = append(rows, cells)
	}
	if len(rows) < 15 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	drivers := rows[0][2:]
	if found := exercised(t); !slices.Equal(slices.Sorted(slices.Values(drivers)), found) {
		t.Errorf("the table has %v, and the suite exercises %v", drivers, found)
	}
	for _, row := range rows[1:] {
		if len(row) != len(rows[0]) {
			t.Errorf("%s: %d cells", row[0], len(row))
			continue
		}
		name := strings.Trim(row[1], "`")
		if name != "" && !slices.ContainsFunc(checks(), func(c check) bool { return c.name == name }) {
			t.Errorf("%s: the suite has no check %q", row[0], name)
		}
		for i, cell := range row[2:] {
			if problem := cellProblem(t, drivers[i], name, cell); problem != "" {
				t.Errorf("%s, %s: %q: %s", row[0], drivers[i], cell, problem)
			}
		}
	}
}

// cellProblem returns the error in a cell, or "".
func cellProblem(t *testing.T, driver, check, cell string) string {
	switch sources := testsOf(t, driver); {
	case strings.HasPrefix(cell, "none: "):
		return ""
	case cell == "suite" && check == "":
		return "there is no check of the suite"
	case cell == "suite":
		// Peer.Provider of peertest has every script but SendInbound.
		if script := optionalScripts[check]; script != "" && !strings.Contains(sources, script) && (script == "SendInbound" || !strings.Contains(sources, ".Provider()")) {
			return "its provider has no " + script
		}
		return ""
	case !regexp.MustCompile("\\A`(Test|Fuzz)\\w+`\\z").MatchString(cell):
		return "neither suite, nor a test, nor none"
	case !strings.Contains(sources, "func "+strings.Trim(cell, "`")+"("):
		return "there is no such test"
	}
	return ""
}

// testsOf returns the source of a driver's tests.
func testsOf(t *testing.T, driver string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", driver, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(source)
	}
	return all.String()
}

// exercised lists the drivers of real gateways that run the suite.
func exercised(t *testing.T) (drivers []string) {
	t.Helper()
	folders, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		known := []string{"gatewaytest", "skeleton", "virtual"}
		if f.IsDir() && !slices.Contains(known, f.Name()) && strings.Contains(testsOf(t, f.Name()), "gatewaytest.Exercise(") {
			drivers = append(drivers, f.Name())
		}
	}
	return drivers
}
