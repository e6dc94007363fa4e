package reference

import (
	"html/template"
	"slices"
	"strings"
)

// Document is a service's API.
type Document struct {
	Title, Version string
	Summary        string
	About          template.HTML
	Groups         []*Group
	Objects        []*Object // the named schemas, by name

	operations map[string]*Operation // by id
	objects    map[string]*Object    // by name
	codes      map[string]int        // each error code with its number of operations
}

// Group is the operations with a tag.
type Group struct {
	Name, Anchor string
	About        template.HTML
	Operations   []*Operation
}

// Operation is a method of a path.
type Operation struct {
	ID, Method, Path string
	Summary          string
	About            template.HTML
	Group            *Group
	Credentials      []Credential // alternatives: one of them is enough
	Open             bool         // no credentials are required
	Live             bool         // test keys are refused
	Parameters       []*Field
	Bodies           []*Body // one per media type
	Responses        []*Response
	Codes            []string // of all error responses

	words string // text for a search, in lowercase
}

// Credential is one way to authenticate.
type Credential struct {
	Name   string // name of the scheme in the document
	Kind   string // bearer, token, basic, header, or cookie
	Header string // the header's or the cookie's name
	About  template.HTML
}

// Body is the content of a request or a response in one media type.
type Body struct {
	MediaType string
	Object    *Object // nil if it isn't described
	Examples  []Example
}

// Example is a body with its name.
type Example struct {
	Name string // empty if there is only one
	Text string // as it is sent; for a form, as JSON

	members []member // of an object, for a form
}

type member struct{ name, value string }

// Response is the response with one status.
type Response struct {
	Status  string
	About   template.HTML
	Codes   []string // error codes
	Headers []*Field
	Bodies  []*Body
}

// Failed reports whether the response is an error.
func (r *Response) Failed() bool { return r.Status >= "400" }

// Object is a schema.
type Object struct {
	Name     string // of the document's components; empty for others
	Type     string
	Nullable bool
	About    template.HTML
	Limits   []Limit
	Enum     []string
	Default  string
	Fields   []*Field
	Variants []*Object // exactly one of them applies

	Operations []*Operation // that name it
}

// Field is a field of an object, a parameter, or a header.
type Field struct {
	Name       string
	In         string // of a parameter: path, query, or header
	Required   bool
	Deprecated bool
	Example    string
	Object     *Object
}

// Limit limits a value.
type Limit struct {
	Kind string // characters, range, items, members, pattern, format, or value
	Text string // "1–255", "≥ 1", or the pattern
}

// Operation returns the operation with an id.
func (d *Document) Operation(id string) (*Operation, bool) {
	op, ok := d.operations[id]
	return op, ok
}

// Object returns the named schema.
func (d *Document) Object(name string) (*Object, bool) {
	o, ok := d.objects[name]
	return o, ok
}

// Uses returns the number of operations that can respond with an error code.
func (d *Document) Uses(code string) int { return d.codes[code] }

// Matches reports whether each word of a query is in the operation's path, summary, fields, or error codes.
func (o *Operation) Matches(query string) bool { return Matches(o.words, query) }

// Words returns the text for a search of the operation.
func (o *Operation) Words() string { return o.words }

// Matches reports whether each word of a query is in a text. The page's script does the same.
func Matches(text, query string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(query)), func(word string) bool { return !strings.Contains(text, word) })
}

// ParametersIn returns the parameters of one place: path, query, or header.
func (o *Operation) ParametersIn(place string) []*Field {
	var list []*Field
	for _, p := range o.Parameters {
		if p.In == place {
			list = append(list, p)
		}
	}
	return list
}
