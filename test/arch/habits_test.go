package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// habits are patterns that the code never contains. find returns their places in a file.
var habits = []struct {
	name string
	// spares reports whether the pattern is allowed in this directory. Test files are always exempt.
	spares func(dir string) bool
	find   func(f *ast.File) []ast.Node
	why    string
}{
	{
		name: "init function",
		find: func(f *ast.File) (found []ast.Node) {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					found = append(found, fn)
				}
			}
			return found
		},
		why: "what happens at the start is read in cmd, from top to bottom",
	},
	{
		name: "package with a name that says nothing",
		find: func(f *ast.File) []ast.Node {
			if slices.Contains([]string{"util", "utils", "common", "model", "models", "helper", "helpers", "misc"}, f.Name.Name) {
				return []ast.Node{f.Name}
			}
			return nil
		},
		why: "such a package becomes a drawer for everything: name it after what it knows",
	},
	{
		name: "look at the machine's clock",
		spares: func(dir string) bool {
			return isHelper(dir) || withinAny(dir, []string{"internal/clock", "cmd", "bench", "docs/examples"})
		},
		find: func(f *ast.File) []ast.Node { return uses(f, "time", "Now", "Since", "Until") },
		why:  "a rule about time is tested with a clock that the test moves: take a clock.Now",
	},
	{
		name:   "look at the environment",
		spares: func(dir string) bool { return isHelper(dir) || withinAny(dir, []string{"cmd", "internal/config"}) },
		find:   func(f *ast.File) []ast.Node { return uses(f, "os", "Getenv", "LookupEnv", "Environ", "ExpandEnv") },
		why:    "what configures Griot is all read in one place: take it as an argument",
	},
	{
		name: "write of a message's row",
		spares: func(dir string) bool { // virtual phones have a table of this name in a separate file, and bench copies rows in an unused database
			return isHelper(dir) || withinAny(dir, []string{"messaging/outbox", "gateway/virtual", "bench"})
		},
		find: func(f *ast.File) []ast.Node { return texts(f, writesMessages) },
		why:  "only messaging/outbox writes messages: a write elsewhere would not be fenced by the row's version",
	},
	{
		name: "bound LIMIT without a cast",
		find: func(f *ast.File) []ast.Node { return texts(f, bindsLimit) },
		why:  "SQLite prepares such a statement again at every execution: write LIMIT CAST($1 AS BIGINT)",
	},
	{
		name: "a lock in a subquery",
		find: func(f *ast.File) []ast.Node { return texts(f, locksInSubquery) },
		why:  "PostgreSQL may run a subquery once for each row, and its LIMIT then holds for none of them: write WITH locked AS (SELECT … /*lock*/)",
	},
	{
		name:   "decision by a caller's role",
		spares: func(dir string) bool { return isHelper(dir) || dir == "messaging/account" },
		find:   decidesByRole,
		why:    "messaging/account says what each role may do: add a permit, or a method of Caller",
	},
}

// decidesByRole returns the comparisons and switches of a caller's role, and the literals of permits.
func decidesByRole(f *ast.File) (found []ast.Node) {
	isRole := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Role" {
			return false
		}
		switch of := s.X.(type) {
		case *ast.Ident:
			return of.Name == "c" || of.Name == "caller"
		case *ast.SelectorExpr:
			return of.Sel.Name == "caller" || of.Sel.Name == "Caller"
		}
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if isRole(n.X) || isRole(n.Y) {
				found = append(found, n)
			}
		case *ast.SwitchStmt:
			if isRole(n.Tag) {
				found = append(found, n)
			}
		case *ast.CompositeLit:
			if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Permit" {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

var bindsLimit = regexp.MustCompile(`(?i)\blimit\s+(\$\d|\?)`)

var locksInSubquery = regexp.MustCompile(`(?is)\bin\s*\([^()]*(\([^()]*\)[^()]*)*/\*lock\*/`)

var writesMessages = regexp.MustCompile(`(?i)\b(insert\s+into|update)\s+messages\b`)

// texts returns the string literals that match.
func texts(f *ast.File, match *regexp.Regexp) (found []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && match.MatchString(l.Value) {
			found = append(found, l)
		}
		return true
	})
	return found
}

func TestHabits(t *testing.T) {
	for _, p := range sourceTree(t) {
		for _, f := range p.files {
			for _, habit := range habits {
				if f.test || habit.spares != nil && habit.spares(p.dir) {
					continue
				}
				for _, node := range habit.find(f.ast) {
					t.Errorf("%s: %s: %s", f.at(node), habit.name, habit.why)
				}
			}
		}
	}
}

func TestHabitsAreFound(t *testing.T) {
	const planted = `package util

import (
	"os"
	. "time"
	clock "time"
)

type phases struct{}

func (phases) init() {}

func init() {
	_ = os.Getenv("A")
	_, _ = os.LookupEnv("B")
	_ = clock.Now()
	now := clock.Now
	_ = clock.Since(now())
	_ = os.Args
	_ = clock.Second
	_ = "UPDATE messages SET status = 1" + "insert into messages (id)" + "UPDATE messages_seq" + "SELECT 1 FROM messages"
	_ = caller.Role == account.RoleViewer || "" != v.caller.Role || m.Role == caller.Mode
	_ = account.Permit{}
	switch c.Role {
	}
	_ = "SELECT 1 LIMIT $1" + "SELECT 1 LIMIT CAST($1 AS BIGINT)" + "SELECT 1 LIMIT 2"
	_ = "DELETE FROM a WHERE id IN (SELECT id FROM a WHERE at < now(1) LIMIT 2 /*lock*/)" + "WITH locked AS (SELECT id FROM a WHERE b IN (1, 2) LIMIT 2 /*lock*/) DELETE FROM a WHERE id IN (SELECT id FROM locked)"
}
`
	const innocent = `package clean

import time "example.com/griot/internal/clock"

func now() any { os := phases{}; os.init(); return time.Now }
`
	for source, want := range map[string][]int{planted: {1, 1, 4, 2, 2, 1, 1, 4}, innocent: {0, 0, 0, 0, 0, 0, 0, 0}} {
		f, err := parser.ParseFile(token.NewFileSet(), "planted.go", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, habit := range habits {
			if found := habit.find(f); len(found) != want[i] {
				t.Errorf("%s: found %d times in package %s, want %d", habit.name, len(found), f.Name.Name, want[i])
			}
		}
	}
	if spares := habits[2].spares; !spares("cmd/griot") || !spares("internal/clock") || spares("internal/clocks") || spares("messaging/otp") {
		t.Error("the wrong packages may look at the machine's clock")
	}
	if spares := habits[3].spares; !spares("cmd/griot") || !spares("internal/db/dbtest") || spares("internal/db") {
		t.Error("the wrong packages may look at the environment")
	}
	if spares := habits[4].spares; !spares("messaging/outbox") || spares("messaging/delivery") || spares("messaging/outboxes") {
		t.Error("the wrong packages may write messages")
	}
}

// Each package has exactly one package comment, in any of its files.
func TestPackages_HaveOneComment(t *testing.T) {
	for _, p := range sourceTree(t) {
		if !p.code() {
			continue
		}
		var documented []string
		for _, f := range p.files {
			if strings.TrimSpace(f.ast.Doc.Text()) != "" {
				documented = append(documented, f.path)
			}
		}
		if len(documented) != 1 {
			t.Errorf("%s has %d package comments, want 1: %v", p.dir, len(documented), documented)
		}
	}
}

// uses returns the places where a file calls or passes on one of a package's functions, under any import name. A dot
// import counts as a use, because uses after it can't be distinguished.
func uses(f *ast.File, pkg string, functions ...string) (found []ast.Node) {
	var names []string
	for _, spec := range f.Imports {
		switch {
		case spec.Path.Value != `"`+pkg+`"`:
		case spec.Name == nil:
			names = append(names, path.Base(pkg))
		case spec.Name.Name == ".":
			found = append(found, spec)
		default:
			names = append(names, spec.Name.Name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(functions, selector.Sel.Name) {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(names, x.Name) {
			found = append(found, selector)
		}
		return true
	})
	return found
}
