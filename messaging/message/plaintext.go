package message

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns the text of an HTML document, for the plain-text part of an email. Paragraphs are separated by an
// empty line, and other blocks by a line break. A link is followed by its address in parentheses, unless its text is the
// address. An image is its alternative text.
func plainText(document string) string {
	p := &plainWriter{}
	for tokens := html.NewTokenizer(strings.NewReader(document)); ; {
		switch tokens.Next() {
		case html.ErrorToken: // the end
			return strings.TrimSpace(p.text.String())
		case html.TextToken:
			p.words(string(tokens.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			p.start(tokens.Token())
		case html.EndTagToken:
			p.end(tokens.Token().DataAtom)
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// plainWriter writes the text of a document.
type plainWriter struct {
	text   strings.Builder
	breaks int       // line breaks before the next word
	space  bool      // a space before the next word
	hidden atom.Atom // the element whose text isn't shown
	href   string    // of the open link
	linked string    // the text of the open link
	pre    bool      // white space counts
}

// words writes a text. White space separates words, except in preformatted text.
func (p *plainWriter) words(s string) {
	switch {
	case s == "" || p.hidden != 0:
		return
	case p.pre:
		for i, line := range strings.Split(s, "\n") {
			p.breaks += min(i, 1)
			p.write(strings.TrimSuffix(line, "\r"))
		}
		return
	}
	p.space = p.space || isHTMLSpace(rune(s[0]))
	for i, word := range strings.FieldsFunc(s, isHTMLSpace) {
		p.space = p.space || i > 0
		p.write(word)
	}
	p.space = p.space || isHTMLSpace(rune(s[len(s)-1]))
}

// write writes a word after the pending breaks.
func (p *plainWriter) write(word string) {
	switch {
	case word == "":
		return
	case p.text.Len() == 0:
	case p.breaks > 0:
		p.text.WriteString(strings.Repeat("\n", min(p.breaks, 2)))
	case p.space:
		p.text.WriteByte(' ')
	}
	p.breaks, p.space = 0, false
	p.text.WriteString(word)
	if p.href != "" {
		p.linked += word
	}
}

func (p *plainWriter) start(t html.Token) {
	if p.hidden != 0 {
		return
	}
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Title, atom.Template, atom.Noscript:
		if t.Type == html.StartTagToken {
			p.hidden = t.DataAtom
		}
	case atom.Br:
		p.breaks++
	case atom.Td, atom.Th:
		p.space = true
	case atom.Img:
		p.words(attribute(t, "alt"))
	case atom.A:
		p.href, p.linked = attribute(t, "href"), ""
	case atom.Li:
		p.breaks = max(p.breaks, 1)
		p.write("-")
		p.space = true
	case atom.Pre:
		p.breaks, p.pre = max(p.breaks, 2), true
	default:
		p.breaks = max(p.breaks, breaksAround[t.DataAtom])
	}
}

func (p *plainWriter) end(a atom.Atom) {
	switch {
	case p.hidden != 0:
		if a == p.hidden {
			p.hidden = 0
		}
	case a == atom.A:
		if href := strings.TrimPrefix(p.href, "mailto:"); href != p.linked && (href != p.href || strings.HasPrefix(href, "http")) {
			p.space = true
			p.href = ""
			p.write("(" + href + ")")
		}
		p.href = ""
	case a == atom.Pre:
		p.breaks, p.pre = max(p.breaks, 2), false
	default:
		p.breaks = max(p.breaks, breaksAround[a])
	}
}

// breaksAround are the line breaks before and after an element.
var breaksAround = map[atom.Atom]int{
	atom.P: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2, atom.Ul: 2, atom.Ol: 2, atom.Dl: 2, atom.Table: 2, atom.Blockquote: 2, atom.Hr: 2,
	atom.Address: 1, atom.Article: 1, atom.Aside: 1, atom.Caption: 1, atom.Center: 1, atom.Dd: 1, atom.Div: 1, atom.Dt: 1, atom.Figcaption: 1, atom.Figure: 1, atom.Footer: 1,
	atom.Header: 1, atom.Li: 1, atom.Main: 1, atom.Nav: 1, atom.Section: 1, atom.Tr: 1,
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// isHTMLSpace reports whether a browser joins r with the white space around it. A no-break space stays.
func isHTMLSpace(r rune) bool { return r < unicode.MaxASCII && unicode.IsSpace(r) }
