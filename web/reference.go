package web

import (
	"net/http"
	"slices"
	"sync"

	"example.com/griot/internal/apierror"
	"example.com/griot/web/reference"
)

// maxQuery is the maximum length of a search.
const maxQuery = 200

// Reference serves the pages of a service's API reference and its catalog of errors. The document is read for the
// first of these pages.
type Reference struct {
	pages    *Pages
	service  apierror.Service
	url      string
	document func() (*reference.Document, error)
}

// NewReference returns the reference of a service with a public address and an OpenAPI document.
func NewReference(pages *Pages, service apierror.Service, url string, document []byte) *Reference {
	return &Reference{pages: pages, service: service, url: url, document: sync.OnceValues(func() (*reference.Document, error) {
		return reference.Parse(document)
	})}
}

// Index serves the list of operations that match the search in q.
func (p *Reference) Index(w http.ResponseWriter, r *http.Request) error {
	d, err := p.document()
	if err != nil {
		return err
	}
	return p.pages.Serve(w, r, http.StatusOK, PageReference, NewReferenceIndex(d, query(r)))
}

// Page serves the page of an operation or of an object. found is false if the page doesn't exist. Nothing is written
// then.
func (p *Reference) Page(w http.ResponseWriter, r *http.Request, name string) (found bool, err error) {
	d, err := p.document()
	if err != nil {
		return false, err
	}
	if op, ok := d.Operation(name); ok {
		return true, p.pages.Serve(w, r, http.StatusOK, PageOperation, ReferenceOperation{Document: d, Operation: op, Curl: op.Curl(p.url)})
	}
	if o, ok := d.Object(name); ok {
		return true, p.pages.Serve(w, r, http.StatusOK, PageObject, ReferenceObject{Document: d, Object: o})
	}
	return false, nil
}

// Errors serves the catalog of errors, reduced to those that match the search in q.
func (p *Reference) Errors(w http.ResponseWriter, r *http.Request) error {
	d, err := p.document()
	if err != nil {
		return err
	}
	c := ErrorCatalogue(p.service, Language(r))
	c.Query, c.Uses = query(r), d.Uses
	return p.pages.Serve(w, r, http.StatusOK, PageErrors, c)
}

// query returns the search of a request.
func query(r *http.Request) string {
	runes := []rune(r.URL.Query().Get("q"))
	return string(runes[:min(len(runes), maxQuery)])
}

// ReferenceIndex is the list of a service's operations. All are in the page, for its script; those that don't match are hidden.
type ReferenceIndex struct {
	Document *reference.Document
	Groups   []ReferenceGroup
	Query    string
	Found    int // operations that match
}

// ReferenceGroup is a group of a ReferenceIndex.
type ReferenceGroup struct {
	*reference.Group
	Items  []ReferenceItem
	Hidden bool
}

// ReferenceItem is an operation of a ReferenceIndex.
type ReferenceItem struct {
	*reference.Operation
	Hidden bool
}

// NewReferenceIndex returns the list of a document's operations, with those hidden that don't match a search.
func NewReferenceIndex(d *reference.Document, query string) ReferenceIndex {
	index := ReferenceIndex{Document: d, Query: query}
	for _, g := range d.Groups {
		group := ReferenceGroup{Group: g, Hidden: true}
		for _, op := range g.Operations {
			hidden := !op.Matches(query)
			if !hidden {
				group.Hidden = false
				index.Found++
			}
			group.Items = append(group.Items, ReferenceItem{op, hidden})
		}
		index.Groups = append(index.Groups, group)
	}
	return index
}

// ReferenceOperation is the page of an operation.
type ReferenceOperation struct {
	Document  *reference.Document
	Operation *reference.Operation
	Curl      string // an example call as a command
}

// Current returns the id of the page's operation in the list.
func (p ReferenceOperation) Current() string { return p.Operation.ID }

// Sample returns the initial body in the form, or "" if the request has none.
func (p ReferenceOperation) Sample() string {
	for _, b := range p.Operation.Bodies {
		if len(b.Examples) > 0 {
			return b.Examples[0].Text
		}
	}
	return ""
}

// ReferenceObject is the page of an object.
type ReferenceObject struct {
	Document *reference.Document
	Object   *reference.Object
}

// Current returns "", because objects are not in the list of operations.
func (p ReferenceObject) Current() string { return "" }

// Operations returns the first of the operations that name the object.
func (p ReferenceObject) Operations() []*reference.Operation {
	const most = 12
	return slices.Clone(p.Object.Operations[:min(len(p.Object.Operations), most)])
}
