package griot_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A bannedWord does not stand in the name of a package, type, function, method, field, constant or package variable: it is a
// metaphor, or means several things. Locals and parameters are free.
type bannedWord struct {
	word    string // as it stands in a name, in lower case; several words are separated by spaces
	instead string
	// inTests says that the name of a test, which is a sentence, may have the word: it is plain English there.
	inTests bool
	within  string            // a phrase in which the word is fine
	except  map[string]string // package.Name, with the reason
}

var bannedWords = []bannedWord{
	{word: "ailing", instead: "failing"},
	{word: "asker", instead: "caller, client"},
	{word: "babble", instead: "random text"},
	{word: "beat", instead: "keep-alive", inTests: true},
	{word: "bell", instead: "signal"},
	{word: "belongings", instead: "data"},
	{word: "bump", instead: "increment"},
	{word: "carried", instead: "delivered", inTests: true},
	{word: "carries", instead: "delivers", inTests: true},
	{word: "carry", instead: "deliver", inTests: true},
	{word: "ceiling", instead: "limit"},
	{word: "chores", instead: "maintenance"},
	{word: "conceal", instead: "mask"},
	{word: "courier", instead: "dispatcher"},
	{word: "disown", instead: "release"},
	{word: "ears", instead: "listeners, subscribers"},
	{word: "ear", instead: "listener, subscriber"},
	{word: "entrance", instead: "endpoint"},
	{word: "errand", instead: "request"},
	{word: "fartest", instead: "remotetest"},
	{word: "fleet", instead: "cluster"},
	{word: "flight", instead: "open, under way", within: "in flight"},
	{word: "fold", instead: "merge"},
	{word: "foreshadow", instead: "preview"},
	{word: "gate", instead: "gateway"},
	{word: "grave", instead: "removed"},
	{word: "greeting", instead: "hello"},
	{word: "heard", instead: "received", inTests: true},
	{word: "hears", instead: "receives", inTests: true},
	{word: "hear", instead: "receive", inTests: true},
	{word: "hindrance", instead: "reason"},
	{word: "hooks", instead: "webhooks"},
	{word: "hook", instead: "webhook"},
	{word: "house", instead: "service"},
	{word: "hurry", instead: "deadline"},
	{word: "journal", instead: "log, recorder"},
	{word: "judge", instead: "check", inTests: true},
	{word: "lane", instead: "batcher"},
	{word: "left", instead: "tried routes, remaining", inTests: true, except: map[string]string{"web.chartLeft": "it is a side"}},
	{word: "lesson", instead: "example, fault"},
	{word: "letters", instead: "mail"},
	{word: "letter", instead: "mail"},
	{word: "mend", instead: "repair"},
	{word: "mortal", instead: "failpoint"},
	{word: "parcel", instead: "batch, payload"},
	{word: "patience", instead: "timeout"},
	{word: "perhaps", instead: "optional", inTests: true},
	{word: "pocket", instead: "buffer"},
	{word: "poke", instead: "signal"},
	{word: "pump", instead: "endpoint worker"},
	{word: "relieve", instead: "release"},
	{word: "rig", instead: "fixture"},
	{word: "roster", instead: "gateway store"},
	{word: "said", instead: "output, answer", inTests: true},
	{word: "say", instead: "write, return", inTests: true},
	{word: "shelf", instead: "store"},
	{word: "shelves", instead: "stores"},
	{word: "sighting", instead: "observation"},
	{word: "stampede", instead: "concurrent calls", inTests: true},
	{word: "storm", instead: "load"},
	{word: "strangers", instead: "unknown callers", inTests: true},
	{word: "stranger", instead: "unknown caller", inTests: true},
	{word: "surroundings", instead: "environment"},
	{word: "swallow", instead: "ignore, drop"},
	{word: "tactful", instead: "polite"},
	{word: "take up", instead: "claim", inTests: true},
	{word: "tells", instead: "notifies", inTests: true},
	{word: "tell", instead: "notify", inTests: true},
	{word: "tend", instead: "maintain"},
	{word: "ticket", instead: "claim, entry"},
	{word: "tidy", instead: "clean up"},
	{word: "told", instead: "notified", inTests: true},
	{word: "trouble", instead: "failure"},
	{word: "twin", instead: "copy"},
	{word: "unheard", instead: "outcome unknown", inTests: true},
	{word: "ways", instead: "routes", inTests: true},
	{word: "way", instead: "route", inTests: true, within: "under way"},
	{word: "whereabouts", instead: "state"},
	{word: "wish", instead: "options", inTests: true},
}

// declaration is a name that a file gives to something.
type declaration struct {
	pkg  string
	name string
	node ast.Node
	test bool // a test, a benchmark, a fuzz test or an example
}

// declarations returns the names of a file's package, constants, package variables, types, functions and methods, those of
// interfaces included, and of the fields of structs.
func declarations(f *ast.File) (found []declaration) {
	add := func(test bool, names ...*ast.Ident) {
		for _, n := range names {
			found = append(found, declaration{pkg: f.Name.Name, name: n.Name, node: n, test: test})
		}
	}
	add(false, f.Name)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && (d.Tok == token.VAR || d.Tok == token.CONST) {
			for _, s := range d.Specs {
				add(false, s.(*ast.ValueSpec).Names...)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Recv == nil && isTest(n.Name.Name), n.Name)
		case *ast.TypeSpec:
			add(false, n.Name)
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				add(false, m.Names...)
			}
		case *ast.StructType:
			for _, field := range n.Fields.List {
				add(false, field.Names...)
			}
		}
		return true
	})
	return found
}

func isTest(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Benchmark", "Fuzz", "Example"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// wordsOf splits a name in camel case: HTTPGate_isOpen is http, gate, is, open. Digits belong to the word before them.
func wordsOf(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	for i, r := range runes {
		switch next := i + 1; {
		case r == '_':
			words = append(words, string(runes[start:i]))
			start = next
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || next < len(runes) && unicode.IsLower(runes[next])):
			words = append(words, string(runes[start:i]))
			start = i
		}
	}
	words = append(words, string(runes[start:]))
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	return words
}

// bans reports whether the word stands in the name.
func (b bannedWord) bans(d declaration) bool {
	if d.test && b.inTests || b.except[d.pkg+"."+d.name] != "" {
		return false
	}
	words := " " + strings.Join(wordsOf(d.name), " ") + " "
	if b.within != "" {
		words = strings.ReplaceAll(words, " "+b.within+" ", " ")
	}
	return strings.Contains(words, " "+b.word+" ")
}

func TestWords(t *testing.T) {
	declared := map[string]bool{}
	for _, p := range sourceTree(t) {
		for _, f := range p.files {
			for _, d := range declarations(f.ast) {
				declared[d.pkg+"."+d.name] = true
				for _, b := range bannedWords {
					if b.bans(d) {
						t.Errorf("%s: %s: not %q: %s", f.at(d.node), d.name, b.word, b.instead)
					}
				}
			}
		}
	}
	for _, b := range bannedWords {
		for name := range b.except {
			if !declared[name] {
				t.Errorf("nothing is called %s any more: take it from the exceptions of %q", name, b.word)
			}
		}
	}
}

func TestWordsOf(t *testing.T) {
	for name, want := range map[string]string{
		"gate": "gate", "NewGate": "new gate", "HTTPGate": "http gate", "gateHTTP": "gate http", "httpgate": "httpgate", "InFlight": "in flight",
		"TestGate_IsOpen": "test gate is open", "sha256Sum": "sha256 sum", "URLs": "ur ls", "a": "a", "_": "", "ID26": "id26", "ofÉté": "of été",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("wordsOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestBannedWordsAreFound(t *testing.T) {
	const planted = `package ear

type inEar struct{ gate int }

type listener interface {
	EarOpen()
	tear(ear int) (early bool)
}

var oneEar, _ = struct{ closedEar int }{}, func() { const localEar = 1 }

const leftEar = 1

func (ear inEar) takeUp() { type earLocal int; var theEar, Heart = 1, 2 }

func HTTPEar[ear any]() { _ = func(ear int) {} }

func InEar() {}

func TestInEar() {}

func TestTear_TakeUp() {}
`
	f, err := parser.ParseFile(token.NewFileSet(), "planted.go", planted, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		banned bannedWord
		want   string
	}{
		{bannedWord{word: "ear"}, "ear oneEar leftEar inEar EarOpen closedEar earLocal HTTPEar InEar TestInEar"},
		{bannedWord{word: "ear", inTests: true, except: map[string]string{"ear.InEar": "a reason", "eye.EarOpen": "another package"}}, "ear oneEar leftEar inEar EarOpen closedEar earLocal HTTPEar"},
		{bannedWord{word: "ear", within: "in ear"}, "ear oneEar leftEar EarOpen closedEar earLocal HTTPEar"},
		{bannedWord{word: "take up"}, "takeUp TestTear_TakeUp"},
		{bannedWord{word: "up take"}, ""},
	} {
		var got []string
		for _, d := range declarations(f) {
			if tt.banned.bans(d) {
				got = append(got, d.name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q is found in %q, want %q", tt.banned.word, got, tt.want)
		}
	}
}
