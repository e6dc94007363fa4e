package book

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Limits of a search.
const (
	maxWords   = 8
	maxResults = 30
	maxOfPage  = 3
	aroundHit  = 80 // bytes of text before and after a match
)

// section is the part of a page from one heading to the next.
type section struct {
	page   *Page
	title  string // of the heading
	anchor string
	text   string
	folded struct{ page, title, text string } // for the comparison
}

// Result is a section that a search found.
type Result struct {
	Page    string // its title
	Section string // empty at the start of the page
	Href    string
	Before  string // an excerpt
	Match   string
	After   string
}

// Search returns the sections that have all words of the query, best first.
func (b *Book) Search(query string) ([]Result, error) {
	words := strings.Fields(strings.ToLower(query))
	words = words[:min(len(words), maxWords)]
	if len(words) == 0 {
		return nil, nil
	}
	all, err := b.sections()
	if err != nil {
		return nil, err
	}
	type hit struct {
		*section
		score int
	}
	var hits []hit
	for i := range all {
		if score := all[i].score(words); score > 0 {
			hits = append(hits, hit{&all[i], score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var found []Result
	ofPage := map[*Page]int{}
	for _, h := range hits {
		if ofPage[h.page]++; ofPage[h.page] <= maxOfPage && len(found) < maxResults {
			found = append(found, h.result(words))
		}
	}
	return found, nil
}

// score returns 0 unless the section has every word. A word in a title counts most.
func (s *section) score(words []string) (score int) {
	for _, w := range words {
		n := min(strings.Count(s.folded.text, w), 4)
		if strings.Contains(s.folded.title, w) {
			n += 8
		}
		if strings.Contains(s.folded.page, w) {
			n += 5
		}
		if n == 0 {
			return 0
		}
		score += n
	}
	if !strings.HasPrefix(s.page.Href, Home+"/decisions/") { // decisions contain reasons, which few people search for
		score *= 3
	}
	return score
}

func (s *section) result(words []string) Result {
	r := Result{Page: s.page.Title, Href: s.page.Href}
	if s.anchor != "" {
		r.Section, r.Href = s.title, r.Href+"#"+s.anchor
	}
	at, length := 0, 0
	if len(s.folded.text) == len(s.text) { // otherwise their offsets differ
		for _, w := range words {
			if i := strings.Index(s.folded.text, w); i >= 0 {
				at, length = i, len(w)
				break
			}
		}
	}
	from, to := max(0, at-aroundHit), min(len(s.text), at+length+2*aroundHit)
	r.Before, r.Match, r.After = s.text[from:at], s.text[at:at+length], s.text[at+length:to]
	if from > 0 {
		_, r.Before, _ = strings.Cut(r.Before, " ") // don't start in the middle of a word
		r.Before = "… " + r.Before
	}
	if end := strings.LastIndexByte(r.After, ' '); to < len(s.text) && end >= 0 {
		r.After = r.After[:end] + " …"
	}
	return r
}

// readSections renders all pages, in the order of their files.
func (b *Book) readSections() ([]section, error) {
	pages, err := b.pages()
	if err != nil {
		return nil, err
	}
	files := make([]string, 0, len(pages))
	for file := range pages {
		files = append(files, file)
	}
	slices.Sort(files)
	var all []section
	for _, file := range files {
		page, err := pages[file]()
		if err != nil {
			return nil, err
		}
		all = append(all, page.sections...)
	}
	return all, nil
}

// sections splits a page at its headings down to the third level.
func sections(page *Page, root ast.Node, source []byte) []section {
	all := []section{{page: page, title: page.Title}}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level <= 3 {
			if h.Level > 1 {
				all = append(all, section{page: page, title: plain(h, source), anchor: string(attribute(h, "id"))})
			}
			continue
		}
		last := &all[len(all)-1]
		last.text = strings.TrimSpace(last.text + " " + plain(n, source))
	}
	for i := range all {
		s := &all[i]
		s.folded.page, s.folded.title, s.folded.text = strings.ToLower(page.Title), strings.ToLower(s.title), strings.ToLower(s.text)
	}
	return all
}
