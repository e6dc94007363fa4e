package main

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

const repository = "../../"

// block is a block of code in a Markdown file. Comments above it say what a reader does with it, where that is not to run it.
type block struct {
	page     string
	line     int
	language string // empty: it is only to be read. Indented blocks are sh
	code     string
	file     string         // the reader saves it as this
	prints   *regexp.Regexp // what it must print
	notRun   string         // why tests can't run it
	fails    string         // why it ends with an error
	runBy    string         // a test of its own runs it: package.Test
	runs     bool           // it goes on running,
	ready    string         // once it has printed this; empty: once its port is open
}

func (b *block) at() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// markdownFiles lists the repository's Markdown files.
func markdownFiles(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "node_modules" || name == "testdata" || name == "dist" || strings.HasPrefix(name, ".") && path != repository || strings.HasPrefix(name, "griot-data")) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			files = append(files, strings.TrimPrefix(filepath.ToSlash(path), repository))
		}
		return nil
	})
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// blocksOf returns the blocks of a Markdown file.
func blocksOf(t *testing.T, page string) (blocks []*block) {
	t.Helper()
	source, err := os.ReadFile(repository + page)
	if err != nil {
		t.Fatal(err)
	}
	err = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		b := &block{page: page, language: "sh"}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			b.language = string(n.Language(source))
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
		b.code, b.line = code.String(), 1+strings.Count(string(source[:n.Lines().At(0).Start]), "\n")
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

// read reads a comment above a block.
func (b *block) read(t *testing.T, comment string) {
	t.Helper()
	name, value, _ := strings.Cut(comment, ":")
	value = strings.TrimSpace(value)
	switch name {
	case "file":
		b.file = value
	case "prints":
		b.prints = regexp.MustCompile(value)
	case "not run":
		b.notRun = value
	case "ends with an error":
		b.fails = value
	case "run by":
		b.runBy = value
	case "background":
		b.runs, b.ready = true, value
	default:
		t.Errorf("%s: the comment %q says nothing that is known", b.at(), comment)
	}
	if value == "" && name != "background" {
		t.Errorf("%s: %q without a reason", b.at(), name)
	}
}

// shells are the languages of commands.
var shells = []string{"sh", "bash", "console", "shell"}

func (b *block) isShell() bool { return slices.Contains(shells, b.language) && b.file == "" }
