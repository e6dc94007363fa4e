package book

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// readContents reads the contents of the book.
func (b *Book) readContents() (*Contents, error) {
	source, err := fs.ReadFile(b.files, contentsFile)
	if err != nil {
		return nil, fmt.Errorf("book: %w", err)
	}
	c, taken := &Contents{}, map[string]int{}
	root := converter.Parser().Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if title := plain(n, source); n.Level == 1 {
				c.Title = title
			} else {
				c.Parts = append(c.Parts, Part{Title: title, Anchor: anchorOf(title, taken)})
			}
		case *ast.Paragraph:
			about := &c.About
			if len(c.Parts) > 0 {
				about = &c.Parts[len(c.Parts)-1].About
			}
			*about = strings.TrimSpace(*about + " " + plain(n, source))
		case *ast.List:
			if len(c.Parts) == 0 {
				return nil, errors.New("book: a list before the first part")
			}
			part := &c.Parts[len(c.Parts)-1]
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				if entry := b.entry(item, source); entry.Href != "" {
					part.Entries = append(part.Entries, entry)
				}
			}
		}
	}
	return c, nil
}

// entry reads an item of a list. Its first link is the entry, and the text after it is its description.
func (b *Book) entry(item ast.Node, source []byte) (e Entry) {
	_ = ast.Walk(item, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		e.Title, e.Href = plain(link, source), b.address(contentsFile, string(link.Destination))
		return ast.WalkStop, nil
	})
	_, about, _ := strings.Cut(plain(item, source), e.Title)
	e.About = strings.TrimSpace(strings.TrimPrefix(about, ":"))
	return e
}
