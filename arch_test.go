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
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "griot"

// A layer is how high a package stands. A package imports packages of its own layer and of lower ones, never of a higher one.
type layer int

const (
	ground  layer = iota // leaves: plumbing, pages, documents
	gate                 // what carries messages
	noun                 // what a service keeps
	store                // messages as they are stored, and what is stored in the same transactions
	act                  // what a service does with it
	api                  // how a service is talked to
	command              // where everything is wired
)

// layers places every package; the longest prefix counts. A package that isn't here fails the test: a new one gets its
// place by a decision, not by its first import.
var layers = map[string]layer{
	"cmd":   command,
	"bench": command, // a program that measures the others

	"docs/examples": command, // programs to read and to copy

	"auth/api":        api,
	"auth/admin":      api,
	"messaging/api":   api,
	"messaging/admin": api,

	"auth/login":         act,
	"auth/token":         act,
	"auth/webhook":       act,
	"messaging/delivery": act,
	"messaging/letter":   act,
	"messaging/otp":      act,
	"messaging/watch":    act,
	"messaging/mcp":      act,
	"messaging/stats":    act,
	"messaging/billing":  act,

	"messaging/outbox":  store,
	"messaging/inbox":   store,
	"messaging/webhook": store,

	"auth/tenant":       noun,
	"auth/oauth":        noun,
	"messaging/message": noun,
	"messaging/account": noun,
	"messaging/quota":   noun,
	"messaging/optout":  noun,
	"messaging/media":   noun,
	"messaging/route":   noun,

	"gateway": gate,

	"internal": ground,
	"web":      ground,
	"openapi":  ground,
	"client":   ground,
	".":        ground, // the root: a doc.go and this test
}

// A ban is an import that the order of layers alone would allow.
type ban struct {
	from, to             string // directories, with all that is below them; * is all others
	exceptFrom, exceptTo []string
	always               bool // in tests and test helpers too
	why                  string
}

var bans = []ban{
	{from: "auth", to: "messaging", always: true, why: "the services are sold, run and understood apart: what they share is the gateways and the ground"},
	{from: "messaging", to: "auth", always: true, why: "the services are sold, run and understood apart: what they share is the gateways and the ground"},
	{from: "gateway", to: "auth", always: true, why: "the gate carries messages and knows no logins"},
	{from: "gateway", to: "messaging", always: true, why: "the gate carries messages and knows no accounts"},
	{from: "internal", to: "auth", always: true, why: "both services stand on internal, so it knows neither"},
	{from: "internal", to: "messaging", always: true, why: "both services stand on internal, so it knows neither"},
	{from: "internal", to: "web", exceptFrom: []string{"internal/demo"}, why: "plumbing has no pages; the demo application of `griot dev` is one"},
	{from: "internal", to: "openapi", why: "plumbing doesn't know the documents of the services"},
	{from: "internal", to: "client", why: "plumbing doesn't call the service that it is part of"},
	{from: "web", to: "*", exceptTo: []string{"internal/i18n", "internal/fault"}, why: "pages are given what they show, and look up only the sentences around it and the catalogue of errors"},
	{from: "openapi", to: "*", why: "a document is data"},
	{from: "client", to: "*", why: "applications copy or import it without the server behind it"},
	{from: ".", to: "*", why: "the root holds no code"},
}

// importProblem says what is wrong with from importing to (directories within the module), or "".
// Tests, and the helper packages that only tests import, may look anywhere that isn't banned for them too.
func importProblem(from, to string, fromTest bool) string {
	if within(to, from) && isHelper(to) == isHelper(from) {
		return "" // a package's own parts
	}
	exempt := fromTest || isHelper(from)
	if isHelper(to) && !exempt {
		return "only tests and test helpers import a test helper: it would end up in the program"
	}
	for _, b := range bans {
		if (b.always || !exempt) && b.forbids(from, to) {
			return b.why
		}
	}
	if exempt {
		return ""
	}
	high, ok := layerOf(from)
	if !ok {
		return from + " has no layer: give it its place in arch_test.go"
	}
	low, ok := layerOf(to)
	if !ok {
		return to + " has no layer: give it its place in arch_test.go"
	}
	if low > high {
		return "imports go downhill: cmd, api, acts, stores, nouns, gateway, internal"
	}
	return ""
}

func (b ban) forbids(from, to string) bool {
	banned := within(to, b.to) || b.to == "*" && !within(to, b.from)
	return banned && within(from, b.from) && !withinAny(from, b.exceptFrom) && !withinAny(to, b.exceptTo)
}

// layerOf returns the layer of the longest prefix of dir that has one. The root is no prefix of anything.
func layerOf(dir string) (layer, bool) {
	for p := dir; ; p = path.Dir(p) {
		if l, ok := layers[p]; ok && (p != "." || dir == ".") {
			return l, true
		}
		if p == "." {
			return 0, false
		}
	}
}

// within reports whether dir is root or below it.
func within(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

func withinAny(dir string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(dir, root) })
}

// isHelper reports whether dir belongs to a test helper package, which is one whose name ends in "test".
func isHelper(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool { return strings.HasSuffix(name, "test") })
}

func TestImportProblem(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		fromTest bool
		allowed  bool
	}{
		// Downhill.
		{from: "cmd/griot", to: "messaging/api", allowed: true},
		{from: "cmd/griot", to: "auth/token", allowed: true},
		{from: "cmd/griot", to: "internal/config", allowed: true},
		{from: "cmd/griot", to: "client", allowed: true},
		{from: "auth/api", to: "auth/login", allowed: true},
		{from: "auth/api", to: "auth/tenant", allowed: true},
		{from: "auth/api", to: "web", allowed: true},
		{from: "auth/api", to: "openapi", allowed: true},
		{from: "messaging/mcp", to: "messaging/inbox", allowed: true},
		{from: "messaging/otp", to: "messaging/delivery", allowed: true},
		{from: "messaging/delivery", to: "messaging/outbox", allowed: true},
		{from: "messaging/delivery", to: "messaging/message", allowed: true},
		{from: "messaging/outbox", to: "messaging/inbox", allowed: true},
		{from: "messaging/outbox", to: "messaging/webhook", allowed: true},
		{from: "messaging/outbox", to: "messaging/quota", allowed: true},
		{from: "messaging/route", to: "messaging/account", allowed: true},
		{from: "messaging/account", to: "gateway", allowed: true},
		{from: "gateway/virtual", to: "gateway", allowed: true},
		{from: "gateway/virtual", to: "internal/phone", allowed: true},
		{from: "internal/httpx", to: "internal/fault", allowed: true},
		{from: "internal/fault/gendocs", to: "internal/fault", allowed: true},
		{from: "internal/demo", to: "web", allowed: true},
		{from: "client/webhook", to: "client", allowed: true},
		{from: "web", to: "web/page", allowed: true},
		{from: "web/page", to: "internal/i18n", allowed: true},

		// Uphill.
		{from: "auth/tenant", to: "auth/login"},
		{from: "auth/login", to: "auth/api"},
		{from: "messaging/message", to: "messaging/delivery"},
		{from: "messaging/message", to: "messaging/outbox"},
		{from: "messaging/quota", to: "messaging/webhook"},
		{from: "messaging/outbox", to: "messaging/delivery"},
		{from: "messaging/inbox", to: "messaging/delivery"},
		{from: "messaging/webhook", to: "messaging/delivery"},
		{from: "messaging/otp", to: "messaging/api"},
		{from: "auth/api", to: "cmd/griot/banner"},
		{from: "gateway/virtual", to: "cmd/griot/banner"},

		// Next door.
		{from: "messaging/otp", to: "auth/tenant"},
		{from: "messaging/api", to: "auth/api"},
		{from: "auth/login", to: "messaging/delivery"},
		{from: "auth/api", to: "messaging/message"},
		{from: "gateway", to: "messaging/message"},
		{from: "gateway/smtp", to: "auth/oauth"},

		// Leaves.
		{from: "internal/httpx", to: "auth/oauth"},
		{from: "internal/demo", to: "auth/oauth"},
		{from: "internal/db", to: "messaging/message"},
		{from: "internal/phone", to: "gateway"},
		{from: "internal/config", to: "cmd/griot/banner"},
		{from: "internal/httpx", to: "web"},
		{from: "internal/demonstration", to: "web"},
		{from: "internal/httpx", to: "openapi"},
		{from: "internal/demo", to: "openapi"},
		{from: "internal/httpx", to: "client"},
		{from: "web", to: "internal/i18nmore"},
		{from: "web", to: "messaging/message"},
		{from: "openapi", to: "internal/fault"},
		{from: "client", to: "internal/phone"},
		{from: "client", to: "messaging/message"},
		{from: ".", to: "internal/phone"},

		// Places that nobody has decided on.
		{from: "cmd/griot", to: "messaging/campaign"},
		{from: "messaging/campaign", to: "internal/db"},
		{from: "billing", to: "internal/db"},
		{from: "authentic", to: "internal/db"},

		// Tests and their helpers.
		{from: "messaging/delivery", to: "internal/db/dbtest"},
		{from: "cmd/griot", to: "gateway/gatewaytest"},
		{from: "gateway", to: "gateway/gatewaytest"},
		{from: "messaging/delivery", to: "internal/db/dbtest", fromTest: true, allowed: true},
		{from: "internal/db", to: "internal/db/dbtest", fromTest: true, allowed: true},
		{from: "internal/db/dbtest", to: "internal/db", allowed: true},
		{from: "gateway/gatewaytest", to: "internal/db/dbtest", allowed: true},
		{from: "internal/apitest", to: "openapi", allowed: true},
		{from: "auth/tenant", to: "auth/api", fromTest: true, allowed: true},
		{from: "client", to: "messaging/api", fromTest: true, allowed: true},
		{from: "messaging/otp", to: "auth/tenant", fromTest: true},
		{from: "messaging/otp", to: "auth/authtest", fromTest: true},
		{from: "internal/apitest", to: "auth/oauth"},
		{from: "gateway/gatewaytest", to: "messaging/delivery"},
	} {
		problem := importProblem(tt.from, tt.to, tt.fromTest)
		if (problem == "") != tt.allowed {
			t.Errorf("%s -> %s (in a test: %v): allowed = %v, want %v; %q", tt.from, tt.to, tt.fromTest, problem == "", tt.allowed, problem)
		}
	}
}

func TestImports(t *testing.T) {
	for _, p := range sourceTree(t) {
		for _, f := range p.files {
			for _, spec := range f.ast.Imports {
				to := strings.Trim(spec.Path.Value, `"`)
				if to != module && !strings.HasPrefix(to, module+"/") {
					continue
				}
				to = path.Clean("./" + strings.TrimPrefix(to, module))
				if problem := importProblem(p.dir, to, f.test); problem != "" {
					t.Errorf("%s imports %s: %s", f.at(spec), spec.Path.Value, problem)
				}
			}
		}
		if _, ok := layerOf(p.dir); !ok && !isHelper(p.dir) && p.code() {
			t.Errorf("%s has no layer: give it its place in arch_test.go", p.dir)
		}
	}
}

// habits are what we agreed never to write. Each returns what it found in a file, with the node where it found it.
var habits = []struct {
	name string
	// spares reports whether the habit is fine in this directory; test files are always spared.
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
		spares: func(dir string) bool { // virtual phones have a table of this name in a file of their own
			return isHelper(dir) || withinAny(dir, []string{"messaging/outbox", "gateway/virtual"})
		},
		find: func(f *ast.File) []ast.Node { return texts(f, writesMessages) },
		why:  "only messaging/outbox writes messages: a write elsewhere would not be fenced by the row's version",
	},
}

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

// deciders are the files of delivery and of the outbox that may set a status, and why.
var deciders = map[string]string{
	"messaging/delivery/decide.go":              "it is the only place that chooses the next status of a stored message",
	"messaging/delivery/decide_without_call.go": "it belongs to decide.go",
	"messaging/delivery/submit.go":              "a new message, which is not stored yet",
	"messaging/outbox/insert.go":                "a new message, while it is stored",
	"messaging/outbox/store.go":                 "a key, as it was read",
}

// Whatever happens to a stored message, delivery's decide chooses its next status. A status reaches the database by
// transitions only, and one function makes these of what decide returned.
func TestOneFileDecides(t *testing.T) {
	set, made := map[string]bool{}, false
	for _, p := range sourceTree(t) {
		for _, f := range p.files {
			if f.test || isHelper(p.dir) {
				continue
			}
			for _, n := range transitions(f.ast) {
				made = true
				if f.path != "messaging/delivery/settle.go" {
					t.Errorf("%s: an outbox.Transition is made: only settle.go makes one, of what decide returned", f.at(n))
				}
			}
			if !withinAny(p.dir, []string{"messaging/delivery", "messaging/outbox"}) {
				continue
			}
			for _, n := range setsStatus(f.ast) {
				set[f.path] = true
				if deciders[f.path] == "" {
					t.Errorf("%s: a status is set: only messaging/delivery/decide.go chooses the next one", f.at(n))
				}
			}
		}
	}
	for path := range deciders {
		if !set[path] {
			t.Errorf("%s sets no status any more: take it from the list", path)
		}
	}
	if !made {
		t.Error("nobody makes an outbox.Transition: this test looks for the wrong thing")
	}
}

func TestStatusesAndTransitionsAreFound(t *testing.T) {
	const planted = `package planted

func f(m *message.Message) {
	m.Status = message.Sent
	m.DueAt, m.Status = x, message.Failed
	_ = &outbox.Transition{Message: m}
	_ = outbox.Transition{}
	if m.Status == message.Sent {
		m.Status.Open()
	}
	_ = outbox.Key{Status: m.Status}
}
`
	f, err := parser.ParseFile(token.NewFileSet(), "planted.go", planted, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(setsStatus(f)); n != 2 {
		t.Errorf("%d statuses are set, want 2", n)
	}
	if n := len(transitions(f)); n != 2 {
		t.Errorf("%d transitions are made, want 2", n)
	}
}

// setsStatus returns the assignments to a field Status.
func setsStatus(f *ast.File) (found []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for _, to := range a.Lhs {
			if s, ok := to.(*ast.SelectorExpr); ok && s.Sel.Name == "Status" {
				found = append(found, s)
			}
		}
		return true
	})
	return found
}

// transitions returns the literals of outbox.Transition.
func transitions(f *ast.File) (found []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		l, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if s, ok := l.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Transition" {
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
}
`
	const innocent = `package clean

import time "griot/internal/clock"

func now() any { os := phases{}; os.init(); return time.Now }
`
	for source, want := range map[string][]int{planted: {1, 1, 4, 2, 2}, innocent: {0, 0, 0, 0, 0}} {
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

// Each package tells its story in a doc.go; a program may tell it in its main.go.
func TestPackagesTellTheirStory(t *testing.T) {
	for _, p := range sourceTree(t) {
		if !p.code() {
			continue
		}
		told := slices.ContainsFunc(p.files, func(f file) bool {
			main := f.ast.Name.Name == "main" && path.Base(f.path) == "main.go"
			return (main || path.Base(f.path) == "doc.go") && strings.TrimSpace(f.ast.Doc.Text()) != ""
		})
		if !told {
			t.Errorf("%s has no doc.go with a package comment", p.dir)
		}
	}
}

// uses returns where a file calls or passes on one of a package's functions, whatever name it imports the package by.
// A dot import is itself such a use, because what follows can't be told apart.
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

// sourceTree parses every Go file of this module, whatever system it is for.
func sourceTree(t *testing.T) []dirPackage {
	t.Helper()
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
		t.Fatal(err)
	}
	if len(dirs) < 2 {
		t.Fatalf("found Go files in %v only: run this in the module's root", dirs)
	}
	packages := make([]dirPackage, len(dirs))
	for i, dir := range dirs {
		packages[i] = *byDir[dir]
	}
	return packages
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
