package book

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// converter parses and renders Markdown. It is safe for concurrent use.
var converter = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100))))

// render renders a file as a page.
func (b *Book) render(file string) (*Page, error) {
	source, err := fs.ReadFile(b.files, file)
	if err != nil {
		return nil, err
	}
	root := converter.Parser().Parse(text.NewReader(source))
	page := &Page{Href: b.page(file)}
	if err := b.prepare(file, root, source, page); err != nil {
		return nil, err
	}
	if page.Title == "" {
		return nil, errors.New("it has no heading of the first level")
	}
	var out bytes.Buffer
	if err := converter.Renderer().Render(&out, source, root); err != nil {
		return nil, err
	}
	page.Body = template.HTML(out.String()) //nolint:gosec // the renderer escapes all text, and prepare refuses HTML
	page.sections = sections(page, root, source)
	return page, nil
}

// prepare gives headings their anchors and links their URLs, and inserts pictures into the page.
func (b *Book) prepare(file string, root ast.Node, source []byte, page *Page) error {
	taken := map[string]int{}
	var noLinks []*ast.Link
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			title := plain(n, source)
			anchor := anchorOf(title, taken)
			n.SetAttributeString("id", []byte(anchor))
			switch {
			case n.Level == 1 && page.Title == "":
				page.Title = title
			case n.Level == 1:
				return ast.WalkStop, fmt.Errorf("a second heading of the first level: %s", title)
			case n.Level == 2:
				page.Headings = append(page.Headings, Heading{title, anchor})
			}
		case *ast.Link:
			to := b.address(file, string(n.Destination))
			if to == "" {
				noLinks = append(noLinks, n)
			}
			n.Destination = []byte(to)
		case *ast.Image:
			svg, err := b.picture(path.Join(path.Dir(file), string(n.Destination)))
			if err != nil {
				return ast.WalkStop, err
			}
			n.SetAttributeString(svgAttribute, svg)
		case *ast.HTMLBlock, *ast.RawHTML:
			if html := raw(n, source); !strings.HasPrefix(html, "<!--") && !isAnchor(html) {
				return ast.WalkStop, fmt.Errorf("HTML that is no comment: %s", html)
			}
		case *ast.FencedCodeBlock:
			if string(n.Language(source)) == "mermaid" {
				return ast.WalkStop, errors.New("a diagram is an SVG file here, which needs no script")
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range noLinks { // not during the walk
		unwrap(n)
	}
	return err
}

// standalone matches the parts of an SVG file that are only needed outside of a page: styles, which the pages' policy
// blocks, and a title, which pages replace with the picture's text.
var standalone = regexp.MustCompile(`(?s)<style>.*?</style>\n?|<title id="[a-z-]+">[^<]*</title>\n?`)

var labelled = regexp.MustCompile(`role="img" aria-labelledby="[a-z-]+"`)

// picture returns an SVG file as a part of a page.
func (b *Book) picture(file string) ([]byte, error) {
	if path.Ext(file) != ".svg" || !fs.ValidPath(file) {
		return nil, fmt.Errorf("%s is no SVG file of the documentation", file)
	}
	svg, err := fs.ReadFile(b.files, file)
	if err != nil {
		return nil, err
	}
	svg = standalone.ReplaceAll(svg, nil)
	return labelled.ReplaceAll(svg, []byte(`aria-hidden="true"`)), nil
}

var anchorTag = regexp.MustCompile(`^<a id="[a-z0-9-]+">$`)

// isAnchor reports whether HTML is the start or the end of an anchor, the only element that pages can have.
func isAnchor(html string) bool { return anchorTag.MatchString(html) || html == "</a>" }

// raw returns the unchanged HTML of a node.
func raw(n ast.Node, source []byte) string {
	lines := text.NewSegments()
	switch n := n.(type) {
	case *ast.HTMLBlock:
		lines = n.Lines()
		if lines.Len() == 0 {
			return string(n.ClosureLine.Value(source))
		}
	case *ast.RawHTML:
		lines = n.Segments
	}
	var b strings.Builder
	for i := range lines.Len() {
		segment := lines.At(i)
		b.Write(segment.Value(source))
	}
	return strings.TrimSpace(b.String())
}

// plain returns the readable text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(source))
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				for i := range n.Lines().Len() {
					line := n.Lines().At(i)
					b.Write(line.Value(source))
				}
			}
		}
		if !entering && n.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// anchorOf returns the id of a heading in the same way as code hosts, so that the same link works there and here.
func anchorOf(title string, taken map[string]int) string {
	anchor := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
	n, again := taken[anchor]
	taken[anchor] = n + 1
	if again {
		return fmt.Sprintf("%s-%d", anchor, n)
	}
	return anchor
}
