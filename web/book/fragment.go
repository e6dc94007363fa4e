package book

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// inFragments are the kinds of Markdown nodes that a fragment can have.
var inFragments = []ast.NodeKind{
	ast.KindDocument, ast.KindParagraph, ast.KindTextBlock, ast.KindList, ast.KindListItem,
	ast.KindText, ast.KindString, ast.KindCodeSpan, ast.KindEmphasis, ast.KindLink,
}

// Fragment renders a few sentences of Markdown, such as the description of a field: paragraphs, lists, emphasis, code,
// and links; anything else is an error. link returns the URL for a link's destination or a piece of code. If it returns
// "", the text is shown without a link.
func Fragment(markdown string, link func(ref string) string) (template.HTML, error) {
	source := []byte(markdown)
	root := converter.Parser().Parse(text.NewReader(source))
	var links []*ast.Link
	var code []*ast.CodeSpan
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if !slices.Contains(inFragments, n.Kind()) {
			return ast.WalkStop, fmt.Errorf("book: a fragment has no %s: %.80q", n.Kind(), markdown)
		}
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, n)
		case *ast.CodeSpan:
			code = append(code, n)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	for _, n := range links {
		if n.Destination = []byte(link(string(n.Destination))); len(n.Destination) == 0 {
			unwrap(n)
		}
	}
	for _, n := range code {
		if to := link(plain(n, source)); to != "" {
			around := ast.NewLink()
			around.Destination = []byte(to)
			n.Parent().ReplaceChild(n.Parent(), n, around)
			around.AppendChild(around, n)
		}
	}
	var out bytes.Buffer
	err = converter.Renderer().Render(&out, source, root)
	return template.HTML(out.String()), err //nolint:gosec // the renderer escapes all text, and HTML is refused
}

// unwrap replaces a link with its content.
func unwrap(n *ast.Link) {
	for n.FirstChild() != nil {
		n.Parent().InsertBefore(n.Parent(), n, n.FirstChild())
	}
	n.Parent().RemoveChild(n.Parent(), n)
}
