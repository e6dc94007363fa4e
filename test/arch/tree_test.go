// Package arch_test checks the repository as a whole: imports between packages, forbidden patterns in the code, the
// rules of docs/contract and their tests, the language of the documents, licenses, and workflows.
package arch_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// root is the repository's directory, relative to this package's, where go test runs the tests.
const root = "../.."

// repository contains the repository's files by their paths from its root, as failures name them.
var repository = os.DirFS(root)

// readFile returns a file of the repository.
func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// parseFile parses a Go file of the repository.
func parseFile(set *token.FileSet, name string) (*ast.File, error) {
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
}

type dirPackage struct {
	dir   string // "." or a slash-separated path
	files []file
}

// code reports whether the package has more than tests.
func (p dirPackage) code() bool {
	return slices.ContainsFunc(p.files, func(f file) bool { return !f.test })
}

type file struct {
	path string
	test bool
	ast  *ast.File
	set  *token.FileSet
}

func (f file) at(n ast.Node) string { return fmt.Sprint(f.set.Position(n.Pos())) }

var parsedTree = sync.OnceValues(parseTree)

// sourceTree returns every Go file of this module, for all systems. They are parsed once for all tests, which must not
// modify them.
func sourceTree(t *testing.T) []dirPackage {
	t.Helper()
	packages, err := parsedTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 2 {
		t.Fatalf("found %d folders with Go files only: is %s still the root?", len(packages), root)
	}
	return packages
}

func parseTree() ([]dirPackage, error) {
	byDir := map[string]*dirPackage{}
	var dirs []string
	set := token.NewFileSet()
	err := fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && isForeign(name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		parsed, err := parseFile(set, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if byDir[dir] == nil {
			byDir[dir] = &dirPackage{dir: dir}
			dirs = append(dirs, dir)
		}
		byDir[dir].files = append(byDir[dir].files, file{path: name, test: strings.HasSuffix(name, "_test.go"), ast: parsed, set: set})
		return nil
	})
	if err != nil {
		return nil, err
	}
	packages := make([]dirPackage, len(dirs))
	for i, dir := range dirs {
		packages[i] = *byDir[dir]
	}
	return packages, nil
}

// isForeign reports whether a directory is excluded: another module's, or one that the go command ignores.
func isForeign(dir string) bool {
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, base) {
		return true
	}
	_, err := fs.Stat(repository, path.Join(dir, "go.mod"))
	return !errors.Is(err, fs.ErrNotExist)
}
