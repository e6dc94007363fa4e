package book

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"example.com/griot/docs"
)

const repository = "../../"

// Every link in every Markdown file of the repository leads to an existing file, and to a heading in it.
func TestRepository_LinksResolve(t *testing.T) {
	t.Parallel()
	files, links := 0, 0
	err := filepath.WalkDir(repository, func(file string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || name == "testdata" || name == "dist" || strings.HasPrefix(name, "griot-data") || strings.HasPrefix(name, ".") && file != repository):
			return filepath.SkipDir
		case filepath.Ext(file) == ".md":
			files++
			links += checkLinks(t, file)
		}
		return nil
	})
	if err != nil || files < 80 || links < 500 {
		t.Errorf("%d files with %d links, %v: are they still seen?", files, links, err)
	}
}

// checkLinks checks the links of a file, and returns their number.
func checkLinks(t *testing.T, file string) (n int) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_ = ast.Walk(converter.Parser().Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		var to string
		switch node := node.(type) {
		case *ast.Link:
			to = string(node.Destination)
		case *ast.Image:
			to = string(node.Destination)
		}
		u, err := url.Parse(to)
		if err != nil || !entering || to == "" || u.IsAbs() {
			return ast.WalkContinue, err
		}
		n++
		target := file
		if u.Path != "" {
			target = path.Join(path.Dir(file), u.Path)
		}
		info, err := os.Stat(target)
		switch {
		case err != nil:
			t.Errorf("%s leads to %s, which is not there", file, to)
		case u.Fragment != "" && !info.IsDir() && !anchors(t, target)[u.Fragment]:
			t.Errorf("%s leads to %s: there is no such heading", file, to)
		}
		return ast.WalkContinue, nil
	})
	return n
}

// anchors returns the headings that links can lead to.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found, taken := map[string]bool{}, map[string]int{}
	_ = ast.Walk(converter.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering {
				found[anchorOf(plain(n, source), taken)] = true
			}
		case *ast.RawHTML:
			if html := raw(n, source); strings.HasPrefix(html, `<a id="`) {
				found[strings.TrimSuffix(strings.TrimPrefix(html, `<a id="`), `">`)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

// Every page of the documentation can be shown, and the contents link to each, directly or through a page in them.
func TestRepository_PagesAreReached(t *testing.T) {
	t.Parallel()
	b := Open(docs.Files(), Origins{Auth: "https://login.example", Messaging: "https://api.example"})
	contents, err := b.Contents()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := b.pages()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for file := range pages {
		files[b.page(file)] = file
	}
	var queue []string
	for _, part := range contents.Parts {
		if len(part.Entries) == 0 {
			t.Errorf("the part %s has no entry", part.Title)
		}
		for _, e := range part.Entries {
			queue = append(queue, e.Href)
		}
	}
	reached := map[string]bool{}
	for len(queue) > 0 {
		href, _, _ := strings.Cut(queue[0], "#")
		queue = queue[1:]
		if reached[href] || files[href] == "" {
			continue
		}
		reached[href] = true
		page, err := pages[files[href]]()
		if err != nil {
			t.Error(err)
			continue
		}
		for _, link := range strings.Split(string(page.Body), `href="`)[1:] {
			to, _, _ := strings.Cut(link, `"`)
			queue = append(queue, to)
		}
	}
	for href := range files {
		if !reached[href] {
			t.Errorf("no link leads to %s", href)
		}
	}
	if len(reached) < 90 {
		t.Errorf("%d pages, want more", len(reached))
	}
}

// Diagrams have the same styles, for readers of the repository in light and dark, and a name.
func TestRepository_Diagrams(t *testing.T) {
	t.Parallel()
	all, err := fs.Glob(docs.Files(), "img/*.svg")
	if err != nil || len(all) < 4 {
		t.Fatalf("%q, %v", all, err)
	}
	style := ""
	for _, file := range all {
		b, err := fs.ReadFile(docs.Files(), file)
		if err != nil {
			t.Fatal(err)
		}
		_, behind, _ := strings.Cut(string(b), "<style>")
		own, _, _ := strings.Cut(behind, "</style>")
		if style == "" {
			style = own
		}
		name := strings.TrimSuffix(path.Base(file), ".svg")
		if own != style || !strings.Contains(own, "prefers-color-scheme: dark") || !strings.Contains(string(b), `aria-labelledby="`+name+`-title"`) || !strings.Contains(string(b), `<title id="`+name+`-title">`) || strings.Contains(string(b), " style=") {
			t.Errorf("%s: other styles than the others, or no title", file)
		}
	}
}
