package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rule is a rule of the specification, and the tests that check it:
// "api.TestToken_Once" is TestToken_Once of the package in a folder api.
type rule struct {
	text  string
	tests []string
}

// section is a table of rules. A new one is a function in a coverage_*_test.go, named in sections.
type section struct {
	name string
	rows []rule
}

func sections() []section {
	return slices.Concat(fieldSections(), stateSections(), endpointSections(), ruleSections(), manageSections())
}

// checkedBy makes a row.
func checkedBy(says string, tests ...string) rule { return rule{says, tests} }

// Every rule names the tests that check it, and they exist.
func TestCoverage_EveryLineOfTheDocumentHasItsTests(t *testing.T) {
	known := testNames(t)
	for _, s := range sections() {
		seen := map[string]bool{}
		if len(s.rows) == 0 {
			t.Errorf("%s has no rows", s.name)
		}
		for _, r := range s.rows {
			if r.text == "" || seen[r.text] {
				t.Errorf("%s: %q is empty or there twice", s.name, r.text)
			}
			seen[r.text] = true
			if len(r.tests) == 0 {
				t.Errorf("%s: nothing holds %q", s.name, r.text)
			}
			for _, name := range r.tests {
				if !known[name] {
					t.Errorf("%s: %q is held by %s, which does not exist", s.name, r.text, name)
				}
			}
		}
	}
}

func TestCoverage_MissesATestThatIsNot(t *testing.T) {
	known := testNames(t)
	for name, want := range map[string]bool{
		"api.TestCoverage_MissesATestThatIsNot": true, "login.FuzzKeys": true, "login.TestMain": false, "api.TestNothingAtAll": false, "TestLogin": false, "api.newService": false,
	} {
		if known[name] != want {
			t.Errorf("%s is known: %v", name, known[name])
		}
	}
}

// testNames reads the names of all tests and fuzz tests of the module, as "folder.TestName".
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		switch base := filepath.Base(path); {
		case err != nil:
			return err
		case entry.IsDir() && path != "../.." && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(base, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name == "TestMain" {
				continue
			}
			if name := fn.Name.Name; strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") {
				known[filepath.Base(filepath.Dir(path))+"."+name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}
