package griot_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

type dirPackage struct {
	dir   string // "." or a slash-separated path
	files []file
}

// code reports whether the package is more than tests.
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

// sourceTree returns every Go file of this module, whatever system it is for. They are parsed once for all tests, which
// change nothing in them.
func sourceTree(t *testing.T) []dirPackage {
	t.Helper()
	packages, err := parsedTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 2 {
		t.Fatalf("found %d folders with Go files only: run this in the module's root", len(packages))
	}
	return packages
}

func parseTree() ([]dirPackage, error) {
	byDir := map[string]*dirPackage{}
	var dirs []string
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if name != "." && isForeign(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
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

// isForeign reports whether a directory isn't ours to judge: another module's, or none that the go command looks into.
func isForeign(dir string) bool {
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, base) {
		return true
	}
	_, err := os.Stat(path.Join(dir, "go.mod"))
	return !errors.Is(err, fs.ErrNotExist)
}
