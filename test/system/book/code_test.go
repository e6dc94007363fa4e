package book_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// checks are the checks of a block in a language, in addition to running it; nil if there are none.
var checks = map[string]func(t *testing.T, b *systemtest.Block) error{
	"": nil, "csv": nil, "html": nil, "http": nil, "md": nil,
	"sh": nil, "bash": nil, // TestDocs_Commands
	"yaml": nil, // internal/config.TestDocs_Settings
	"json": checkJSON,
	"go":   checkGo,
	"js": func(t *testing.T, b *systemtest.Block) error {
		return checkWith(t, b, "example.mjs", "node", "--check")
	},
	"php": func(t *testing.T, b *systemtest.Block) error { return checkWith(t, b, "example.php", "php", "-l") },
	"python": func(t *testing.T, b *systemtest.Block) error {
		return checkWith(t, b, "example.py", "python3", "-m", "py_compile")
	},
	"ruby": func(t *testing.T, b *systemtest.Block) error {
		return checkWith(t, b, "example.rb", "/usr/bin/ruby", "-c")
	},
}

// programs are the languages whose blocks must be run by a test, or state why none can run them.
var programs = []string{"go", "js", "php", "python", "ruby", "ts"}

// Every block of every page matches its description, and the tests that run blocks exist.
func TestDocs_Code(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, page := range systemtest.MarkdownFiles(t) {
		for _, b := range systemtest.BlocksOf(t, page) {
			seen[b.Language]++
			check, known := checks[b.Language]
			if !known {
				t.Errorf("%s: nothing checks %s", b.At(), b.Language)
			} else if check != nil {
				if err := check(t, b); err != nil {
					t.Errorf("%s: %v", b.At(), err)
				}
			}
			if slices.Contains(programs, b.Language) && b.RunBy == "" && b.NotRun == "" && b.File == "" {
				t.Errorf("%s: no test runs it: name one above (run by: test/system/clients.TestX), or say why none can (not run: why)", b.At())
			}
			if b.RunBy != "" {
				checkTest(t, b)
			}
		}
	}
	t.Log(seen)
	if seen["sh"] < 80 || seen["yaml"] < 20 || seen["json"] < 6 {
		t.Errorf("found %v: are the blocks still seen?", seen)
	}
}

// testsOf returns the names of the tests in a directory.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(dir + "/*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no tests, %v", dir, err)
	}
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// checkTest checks that the test that runs a block exists.
func checkTest(t *testing.T, b *systemtest.Block) {
	t.Helper()
	dot := strings.LastIndexByte(b.RunBy, '.')
	if dot < 0 || !testsOf(t, systemtest.Root+b.RunBy[:dot])[b.RunBy[dot+1:]] {
		t.Errorf("%s: there is no test %s", b.At(), b.RunBy)
	}
}

func checkJSON(_ *testing.T, b *systemtest.Block) error {
	if !json.Valid([]byte(b.Code)) {
		return fmt.Errorf("this is no JSON:\n%s", b.Code)
	}
	return nil
}

func checkGo(_ *testing.T, b *systemtest.Block) error {
	formatted, err := format.Source([]byte(b.Code))
	if err == nil && string(formatted) != b.Code {
		return fmt.Errorf("gofmt writes it so:\n%s", formatted)
	}
	return err
}

// checkWith saves a block and checks it with a program.
func checkWith(t *testing.T, b *systemtest.Block, file, program string, args ...string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(b.Code), 0o600); err != nil {
		return err
	}
	out, err := exec.CommandContext(context.Background(), program, append(args, path)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
