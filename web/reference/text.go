package reference

import (
	"regexp"
	"strings"
)

// Block is a paragraph or a list.
type Block struct {
	Kind  string // p, ol or ul
	Items [][]Span
}

// Span is a piece of a sentence.
type Span struct {
	Kind string // text, code or strong
	Text string
	Href string // empty where it leads nowhere
}

var (
	listItem = regexp.MustCompile(`^(?:([-*])|\d+\.) +`)
	marked   = regexp.MustCompile("`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\[([^\\]]+)\\]\\(([^)\\s]+)\\)")
)

// writer reads the Markdown of descriptions: paragraphs, lists, code, bold and links.
type writer struct{ link func(code string) string }

func (w writer) blocks(markdown string) []Block {
	var blocks []Block
	for chunk := range strings.SplitSeq(strings.TrimSpace(markdown), "\n\n") {
		var open *Block // what the next line continues
		for line := range strings.SplitSeq(chunk, "\n") {
			line = strings.TrimSpace(line)
			kind := "p"
			if m := listItem.FindStringSubmatch(line); m != nil {
				kind, line = "ol", line[len(m[0]):]
				if m[1] != "" {
					kind = "ul"
				}
			}
			switch {
			case line == "":
			case open != nil && kind == "p": // a line of the same paragraph or item
				last := len(open.Items) - 1
				open.Items[last] = append(append(open.Items[last], Span{Kind: "text", Text: " "}), w.spans(line)...)
			case open != nil && kind == open.Kind:
				open.Items = append(open.Items, w.spans(line))
			default:
				blocks = append(blocks, Block{Kind: kind, Items: [][]Span{w.spans(line)}})
				open = &blocks[len(blocks)-1]
			}
		}
	}
	return blocks
}

func (w writer) spans(line string) []Span {
	var spans []Span
	at := 0
	for _, m := range marked.FindAllStringSubmatchIndex(line, -1) {
		if m[0] > at {
			spans = append(spans, Span{Kind: "text", Text: line[at:m[0]]})
		}
		part := func(i int) string { return line[m[2*i]:m[2*i+1]] }
		switch {
		case m[2] >= 0:
			spans = append(spans, Span{Kind: "code", Text: part(1), Href: w.link(part(1))})
		case m[4] >= 0:
			spans = append(spans, Span{Kind: "strong", Text: part(2)})
		default:
			spans = append(spans, Span{Kind: "text", Text: part(3), Href: href(part(4))})
		}
		at = m[1]
	}
	if at < len(line) {
		spans = append(spans, Span{Kind: "text", Text: line[at:]})
	}
	return spans
}

// href is the page that a description refers to: that of a schema, or one of the documentation.
func href(ref string) string {
	if strings.HasPrefix(ref, "/docs/") {
		return ref
	}
	name, ok := strings.CutPrefix(ref, "#/components/schemas/")
	if !ok {
		return ""
	}
	return Href(name)
}

// plain is the text of blocks.
func plain(blocks []Block) string {
	var b strings.Builder
	for _, block := range blocks {
		for _, item := range block.Items {
			for _, span := range item {
				b.WriteString(span.Text)
			}
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}
