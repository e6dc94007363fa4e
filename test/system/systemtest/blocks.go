package systemtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// shells are the languages of commands.
var shells = []string{"sh", "bash", "console", "shell"}

// Block is a code block in a Markdown file. If the reader must not run it as it is, comments above it explain what to
// do with it.
type Block struct {
	page     string
	line     int
	Language string // empty: only for reading; indented blocks are sh
	Code     string
	File     string         // the reader saves it as this
	Prints   *regexp.Regexp // the expected output
	NotRun   string         // the reason that tests can't run it
	Fails    string         // the reason that it ends with an error
	RunBy    string         // the test that runs it: package.Test
	Runs     bool           // it continues to run,
	Ready    string         // and is ready after printing this; empty: after its port is open
}

// At returns the page and line of the block.
func (b *Block) At() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// read reads a comment above a block.
func (b *Block) read(t *testing.T, comment string) {
	t.Helper()
	name, value, _ := strings.Cut(comment, ":")
	value = strings.TrimSpace(value)
	switch name {
	case "file":
		b.File = value
	case "prints":
		b.Prints = regexp.MustCompile(value)
	case "not run":
		b.NotRun = value
	case "ends with an error":
		b.Fails = value
	case "run by":
		b.RunBy = value
	case "background":
		b.Runs, b.Ready = true, value
	default:
		t.Errorf("%s: the comment %q says nothing that is known", b.At(), comment)
	}
	if value == "" && name != "background" {
		t.Errorf("%s: %q without a reason", b.At(), name)
	}
}

// IsShell reports whether the block has commands to run.
func (b *Block) IsShell() bool { return slices.Contains(shells, b.Language) && b.File == "" }

// MarkdownFiles lists the repository's Markdown files.
func MarkdownFiles(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(Root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "node_modules" || name == "testdata" || name == "dist" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "griot-data")) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			files = append(files, strings.TrimPrefix(filepath.ToSlash(path), Root))
		}
		return nil
	})
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// BlocksOf returns the blocks of a Markdown file.
func BlocksOf(t *testing.T, page string) (blocks []*Block) {
	t.Helper()
	source, err := os.ReadFile(Root + page)
	if err != nil {
		t.Fatal(err)
	}
	err = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		b := &Block{page: page, Language: "sh"}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			b.Language = string(n.Language(source))
		case *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if !entering || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		var code strings.Builder
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			code.Write(line.Value(source))
		}
		b.Code, b.line = code.String(), 1+strings.Count(string(source[:n.Lines().At(0).Start]), "\n")
		for above := n.PreviousSibling(); above != nil && above.Kind() == ast.KindHTMLBlock; above = above.PreviousSibling() {
			b.read(t, blockComment(above, source))
		}
		blocks = append(blocks, b)
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

func blockComment(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(source))
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), "<!--"), "-->"))
}
