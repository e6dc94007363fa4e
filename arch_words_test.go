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

// A bannedWord does not stand in the name of a package, type, function or method: it is a metaphor, or means several things.
type bannedWord struct {
	word    string // as it stands in a name, in lower case; several words are separated by spaces
	instead string
	// inTests says that the name of a test, which is a sentence, may have the word: it is plain English there.
	inTests bool
	except  map[string]string // exact names, with the reason
}

var bannedWords = []bannedWord{
	{word: "house", instead: "service"},
	{word: "take up", instead: "claim"},
}

// declaration is a name that a file gives to something.
type declaration struct {
	name string
	node ast.Node
	test bool // a test, a benchmark, a fuzz test or an example
}

// declarations returns the names of a file's package, types, functions and methods, those of interfaces included.
func declarations(f *ast.File) []declaration {
	found := []declaration{{name: f.Name.Name, node: f.Name}}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			found = append(found, declaration{name: n.Name.Name, node: n.Name, test: n.Recv == nil && isTest(n.Name.Name)})
		case *ast.TypeSpec:
			found = append(found, declaration{name: n.Name.Name, node: n.Name})
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					found = append(found, declaration{name: name.Name, node: name})
				}
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
	letters := []rune(name)
	start := 0
	for i, r := range letters {
		switch next := i + 1; {
		case r == '_':
			words = append(words, string(letters[start:i]))
			start = next
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(letters[i-1]) || next < len(letters) && unicode.IsLower(letters[next])):
			words = append(words, string(letters[start:i]))
			start = i
		}
	}
	words = append(words, string(letters[start:]))
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	return words
}

// bans reports whether the word stands in the name.
func (b bannedWord) bans(d declaration) bool {
	if d.test && b.inTests || b.except[d.name] != "" {
		return false
	}
	return strings.Contains(" "+strings.Join(wordsOf(d.name), " ")+" ", " "+b.word+" ")
}

func TestWords(t *testing.T) {
	declared := map[string]bool{}
	for _, p := range sourceTree(t) {
		for _, f := range p.files {
			for _, d := range declarations(f.ast) {
				declared[d.name] = true
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
		{bannedWord{word: "ear"}, "ear inEar EarOpen earLocal HTTPEar InEar TestInEar"},
		{bannedWord{word: "ear", inTests: true, except: map[string]string{"InEar": "a reason"}}, "ear inEar EarOpen earLocal HTTPEar"},
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
