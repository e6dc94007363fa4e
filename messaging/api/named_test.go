package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/internal/apierror"
)

// Each error that the service declares is produced by a test that names it, by its code in the API or by its variable
// in internal/apierror.
// Rules: M6, M161.
func TestErrors_EachIsNamedByATest(t *testing.T) {
	lines := map[string]string{} // from code and status to the variable
	for name, at := range faultLines(t) {
		lines[at] = name
	}
	codes, names := map[string]bool{}, map[string]bool{}
	for _, root := range []string{"..", "../../cmd"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "named_test.go" {
				mentions(t, path, codes, names)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range apierror.MessagingKinds() {
		name, ok := lines[k.Code+" "+strconv.Itoa(k.Status)]
		if !ok {
			t.Errorf("%d %s is no line of internal/apierror", k.Status, k.Code)
		}
		if !codes[k.Code] && !names[name] {
			t.Errorf("no test names %d %s", k.Status, k.Code)
		}
	}
	if len(codes) < len(apierror.MessagingKinds()) {
		t.Errorf("only %d texts were read", len(codes))
	}
}

// faultLines returns the variables of the service's error catalog, with their codes and statuses.
func faultLines(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	ast.Inspect(parsed(t, "../../internal/apierror/messaging.go"), func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		if call, ok := v.Values[0].(*ast.CallExpr); ok && len(call.Args) > 1 {
			status, _ := call.Args[0].(*ast.BasicLit)
			code, _ := call.Args[1].(*ast.BasicLit)
			out[v.Names[0].Name] = strings.Trim(code.Value, `"`) + " " + status.Value
		}
		return true
	})
	return out
}

// mentions collects the texts of a file and the names that it uses from internal/apierror.
func mentions(t *testing.T, path string, texts, names map[string]bool) {
	t.Helper()
	ast.Inspect(parsed(t, path), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				texts[s] = true
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "apierror" {
				names[n.Sel.Name] = true
			}
		}
		return true
	})
}

func parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
