package book

import (
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// Home is the path of the contents. Pages are below it.
const Home = "/docs"

// The names of special files.
const (
	contentsFile = "README.md" // of a directory; the one at the top is the contents of the book
	errorsFile   = "errors.md" // a service serves its own list of errors
	errorsPage   = Home + "/errors"
)

// Origins are the public addresses of the two services, for links to their references. An empty one is not linked.
type Origins struct{ Auth, Messaging string }

// Book is the documentation. It is safe for concurrent use.
type Book struct {
	files    fs.FS
	origins  Origins
	contents func() (*Contents, error)
	pages    func() (map[string]func() (*Page, error), error) // by file
	sections func() ([]section, error)
}

// Open returns the book of these files.
func Open(files fs.FS, origins Origins) *Book {
	b := &Book{files: files, origins: origins}
	b.contents = sync.OnceValues(b.readContents)
	b.pages = sync.OnceValues(b.list)
	b.sections = sync.OnceValues(b.readSections)
	return b
}

// Contents are the parts of the book.
type Contents struct {
	Title string
	About string
	Parts []Part
}

// Part is a part of the book.
type Part struct {
	Title   string
	Anchor  string
	About   string
	Entries []Entry
}

// Entry is a page in the contents.
type Entry struct {
	Title string
	Href  string
	About string
}

// Page is a page of the book.
type Page struct {
	Title    string
	Href     string
	Headings []Heading // of the second level
	Body     template.HTML
	sections []section
}

// Heading is a heading within a page.
type Heading struct {
	Text   string
	Anchor string
}

// Contents returns the parts of the book.
func (b *Book) Contents() (*Contents, error) { return b.contents() }

// Page returns the page with a name, which is its path below [Home]; nil if there is none.
func (b *Book) Page(name string) (*Page, error) {
	pages, err := b.pages()
	if err != nil {
		return nil, err
	}
	for _, file := range []string{name + ".md", name + "/" + contentsFile} {
		if page, ok := pages[file]; ok && name != "" && path.Base(name)+".md" != contentsFile {
			return page()
		}
	}
	return nil, nil //nolint:nilnil // the documentation says so
}

// Around returns the entries before and after a page in the contents. A zero Entry means that there is none.
func (c *Contents) Around(href string) (previous, next Entry) {
	var all []Entry
	for _, p := range c.Parts {
		for _, e := range p.Entries {
			if strings.HasPrefix(e.Href, "/") && e.Href != errorsPage {
				all = append(all, e)
			}
		}
	}
	for i, e := range all {
		if e.Href != href {
			continue
		}
		if i > 0 {
			previous = all[i-1]
		}
		if i+1 < len(all) {
			next = all[i+1]
		}
		break
	}
	return previous, next
}

// list returns the pages by name. Each is rendered on its first use.
func (b *Book) list() (map[string]func() (*Page, error), error) {
	pages := map[string]func() (*Page, error){}
	err := fs.WalkDir(b.files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(file) != ".md" || file == contentsFile || file == errorsFile {
			return err
		}
		pages[file] = sync.OnceValues(func() (*Page, error) {
			page, err := b.render(file)
			if err != nil {
				return nil, fmt.Errorf("book: %s: %w", file, err)
			}
			return page, nil
		})
		return nil
	})
	return pages, err
}
