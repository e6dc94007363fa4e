package book

import (
	"fmt"
	"html/template"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// svgAttribute is the attribute with the file of an image.
const svgAttribute = "svg"

// nodes renders the nodes that differ from the library's output. Content that can be wider than the page is a region
// that the keyboard can scroll.
type nodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindHTMLBlock, nothing)
	r.Register(ast.KindRawHTML, anchor)
	r.Register(extast.KindTable, table)
	r.Register(extast.KindTableCell, cell)
}

// attribute returns an attribute that prepare has set on a node.
func attribute(n ast.Node, name string) []byte {
	value, _ := n.AttributeString(name)
	b, _ := value.([]byte)
	return b
}

func heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n, ok := node.(*ast.Heading)
	if !ok {
		return ast.WalkContinue, nil
	}
	place := template.HTMLEscapeString(string(attribute(n, "id")))
	if entering {
		fmt.Fprintf(w, `<h%d id="%s">`, n.Level, place)
		return ast.WalkContinue, nil
	}
	if n.Level > 1 {
		fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-hidden="true" tabindex="-1">#</a>`, place)
	}
	fmt.Fprintf(w, "</h%d>\n", n.Level)
	return ast.WalkContinue, nil
}

// languages are the display names of the languages of code blocks.
var languages = map[string]string{"sh": "Shell", "go": "Go", "js": "JavaScript", "ts": "TypeScript", "python": "Python", "php": "PHP", "html": "HTML", "yaml": "YAML", "json": "JSON", "http": "HTTP"}

func code(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	name := languages["sh"] // indented code contains commands
	if fenced, ok := node.(*ast.FencedCodeBlock); ok {
		name = languages[string(fenced.Language(source))]
	}
	fmt.Fprintf(w, `<div class="snippet"><p class="snippet-head">%s</p><pre tabindex="0"><code>`, name)
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		template.HTMLEscape(w, line.Value(source))
	}
	_, err := w.WriteString("</code></pre></div>\n")
	return ast.WalkSkipChildren, err
}

func image(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(w, `<span class="diagram" role="group" tabindex="0" aria-label="%s">`, template.HTMLEscapeString(plain(node, source)))
	_, _ = w.Write(attribute(node, svgAttribute))
	_, err := w.WriteString("</span>")
	return ast.WalkSkipChildren, err
}

func nothing(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkSkipChildren, nil
}

func anchor(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if html := raw(node, source); entering && isAnchor(html) {
		_, err := w.WriteString(html)
		return ast.WalkSkipChildren, err
	}
	return ast.WalkSkipChildren, nil
}

func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	words := "</table></div>\n"
	if entering {
		words = `<div class="table" tabindex="0" role="group"><table>`
	}
	_, err := w.WriteString(words)
	return ast.WalkContinue, err
}

// cell renders a cell. An empty cell of the header is not a header cell.
func cell(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	name := "td"
	if node.Parent().Kind() == extast.KindTableHeader && plain(node, source) != "" {
		name = "th"
	}
	align := ""
	if n, ok := node.(*extast.TableCell); ok && n.Alignment != extast.AlignNone {
		align = fmt.Sprintf(` align="%s"`, n.Alignment)
	}
	if entering {
		fmt.Fprintf(w, "<%s%s>", name, align)
	} else {
		fmt.Fprintf(w, "</%s>", name)
	}
	return ast.WalkContinue, nil
}
