package web

import (
	"net/http"

	"example.com/griot/web/book"
)

// Book serves the documentation. Both services serve the same.
type Book struct {
	pages *Pages
	book  *book.Book
}

// NewBook returns the handlers of a book.
func NewBook(pages *Pages, b *book.Book) *Book { return &Book{pages, b} }

// Contents serves the contents, or the results of the search in q.
func (p *Book) Contents(w http.ResponseWriter, r *http.Request) error {
	contents, err := p.book.Contents()
	if err != nil {
		return err
	}
	data := BookContents{Contents: contents, Query: query(r)}
	if data.Results, err = p.book.Search(data.Query); err != nil {
		return err
	}
	return p.pages.Serve(w, r, http.StatusOK, PageBookContents, data)
}

// Page serves a page of the book. found is false if the page doesn't exist. Nothing is written then.
func (p *Book) Page(w http.ResponseWriter, r *http.Request, name string) (found bool, err error) {
	page, err := p.book.Page(name)
	if err != nil || page == nil {
		return false, err
	}
	contents, err := p.book.Contents()
	if err != nil {
		return false, err
	}
	data := BookPage{Contents: contents, Page: page}
	data.Previous, data.Next = contents.Around(page.Href)
	return true, p.pages.Serve(w, r, http.StatusOK, PageBook, data)
}

// BookContents is the first page of the documentation.
type BookContents struct {
	Contents *book.Contents
	Query    string
	Results  []book.Result
}

// BookPage is a page of the documentation.
type BookPage struct {
	Contents       *book.Contents
	Page           *book.Page
	Previous, Next book.Entry
}
