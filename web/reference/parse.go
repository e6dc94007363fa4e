package reference

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/griot/web/book"
)

// The paths of the pages, on both services.
const (
	Index  = "/docs/reference"
	Errors = "/docs/errors"
)

// Href returns the path of the page of an operation or an object.
func Href(name string) string { return Index + "/" + name }

// parser parses one document.
type parser struct {
	root      node
	doc       *Document
	rendered  map[string]template.HTML // descriptions, by their Markdown
	malformed error                    // of the first description that can't be rendered
}

// unmarked removes Markdown marks from a text, for a search.
var unmarked = strings.NewReplacer("`", "", "**", "")

var quoted = regexp.MustCompile("`([a-z]+(?:_[a-z]+)*)`")

// Parse parses an OpenAPI document.
func Parse(text []byte) (*Document, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	if len(file.Content) == 0 {
		return nil, errors.New("reference: the document is empty")
	}
	top := file.Content[0]
	p := &parser{root: node{top, top}, doc: &Document{operations: map[string]*Operation{}, objects: map[string]*Object{}, codes: map[string]int{}}, rendered: map[string]template.HTML{}}
	for _, code := range p.root.get("components").get("schemas").get("ErrorCode").get("enum").items() {
		p.doc.codes[code.text()] = 0
	}
	info := p.root.get("info")
	p.doc.Title, p.doc.Version, p.doc.Summary = info.get("title").text(), info.get("version").text(), info.get("summary").text()
	p.doc.About = p.markdown(info.get("description").text())
	for name, schema := range p.root.get("components").get("schemas").members() {
		o := p.object(schema, nil)
		o.Name = name
		p.doc.objects[name] = o
		p.doc.Objects = append(p.doc.Objects, o)
	}
	slices.SortFunc(p.doc.Objects, func(a, b *Object) int { return cmp.Compare(a.Name, b.Name) })
	for _, tag := range p.root.get("tags").items() {
		name := tag.get("name").text()
		p.doc.Groups = append(p.doc.Groups, &Group{
			Name: name, Anchor: strings.ToLower(strings.ReplaceAll(name, " ", "-")), About: p.markdown(tag.get("description").text()),
		})
	}
	return p.doc, cmp.Or(p.operations(), p.malformed)
}

func (p *parser) operations() error {
	for path, methods := range p.root.get("paths").members() {
		for method, n := range methods.members() {
			op := p.operation(strings.ToUpper(method), path, n)
			tag := n.get("tags").items()
			i := slices.IndexFunc(p.doc.Groups, func(g *Group) bool { return len(tag) > 0 && g.Name == tag[0].text() })
			if i < 0 || op.ID == "" {
				return fmt.Errorf("reference: %s %s has no operationId, or no tag of the document", op.Method, path)
			}
			op.Group = p.doc.Groups[i]
			op.Group.Operations = append(op.Group.Operations, op)
			p.doc.operations[op.ID] = op
			for _, code := range op.Codes {
				p.doc.codes[code]++
			}
		}
	}
	return nil
}

func (p *parser) operation(method, path string, n node) *Operation {
	about := n.get("description").text()
	op := &Operation{
		ID: n.get("operationId").text(), Method: method, Path: path, Summary: n.get("summary").text(), About: p.markdown(about),
	}
	names := map[string]bool{} // the schemas that it refers to
	p.security(op, n.get("security"))
	for _, ref := range n.get("parameters").items() {
		field, _ := ref.resolve()
		f := p.field(field.get("name").text(), field, names)
		f.In = field.get("in").text()
		op.Parameters = append(op.Parameters, f)
	}
	request, _ := n.get("requestBody").resolve()
	op.Bodies = p.bodies(request.get("content"), names)
	slices.SortStableFunc(op.Bodies, func(a, b *Body) int { return cmp.Compare(len(b.Examples), len(a.Examples)) })
	for status, ref := range n.get("responses").members() {
		op.Responses = append(op.Responses, p.response(status, ref, names))
	}
	slices.SortFunc(op.Responses, func(a, b *Response) int { return cmp.Compare(a.Status, b.Status) })
	for _, r := range op.Responses {
		for _, code := range r.Codes {
			if !slices.Contains(op.Codes, code) {
				op.Codes = append(op.Codes, code)
			}
		}
	}
	op.Live = n.get("x-live-key").is("true") || slices.Contains(op.Codes, "live_key_required")
	for name := range names {
		p.doc.objects[name].Operations = append(p.doc.objects[name].Operations, op)
	}
	op.words = strings.ToLower(strings.Join(slices.Concat([]string{method, path, op.ID, op.Summary, unmarked.Replace(about)}, op.fieldNames(), op.Codes), " "))
	return op
}

// fieldNames returns the names of the parameters and of the request's fields.
func (o *Operation) fieldNames() []string {
	var names []string
	for _, p := range o.Parameters {
		names = append(names, p.Name)
	}
	for _, b := range o.Bodies {
		if b.Object == nil {
			continue
		}
		for _, f := range b.Object.Fields {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

func (p *parser) security(op *Operation, alternatives node) {
	op.Open = len(alternatives.items()) == 0
	for _, alternative := range alternatives.items() {
		named := false
		for name := range alternative.members() {
			named = true
			scheme := p.root.get("components").get("securitySchemes").get(name)
			c := Credential{Name: name, Kind: scheme.get("scheme").text(), Header: "Authorization", About: p.markdown(scheme.get("description").text())}
			if scheme.get("bearerFormat").text() != "" {
				c.Kind = "token"
			}
			if c.Kind == "" {
				c.Kind, c.Header = scheme.get("in").text(), scheme.get("name").text()
			}
			op.Credentials = append(op.Credentials, c)
		}
		op.Open = op.Open || !named
	}
}

func (p *parser) response(status string, ref node, names map[string]bool) *Response {
	n, _ := ref.resolve()
	about := ref.overridable("description").text()
	r := &Response{Status: status, About: p.markdown(about), Bodies: p.bodies(n.get("content"), names)}
	if r.Failed() {
		for _, m := range quoted.FindAllStringSubmatch(about, -1) {
			if _, known := p.doc.codes[m[1]]; known && !slices.Contains(r.Codes, m[1]) {
				r.Codes = append(r.Codes, m[1])
			}
		}
	}
	for name, header := range n.get("headers").members() {
		to, _ := header.resolve()
		r.Headers = append(r.Headers, p.field(name, to, names))
	}
	return r
}

func (p *parser) bodies(content node, names map[string]bool) []*Body {
	var list []*Body
	for mediaType, media := range content.members() {
		b := &Body{MediaType: mediaType}
		if schema := media.get("schema"); schema.there() {
			b.Object = p.object(schema, names)
		}
		if example := media.get("example"); example.there() {
			b.Examples = append(b.Examples, newExample("", example))
		}
		for name, n := range media.get("examples").members() {
			b.Examples = append(b.Examples, newExample(cmp.Or(n.get("summary").text(), name), n.get("value")))
		}
		list = append(list, b)
	}
	return list
}

func newExample(name string, value node) Example {
	e := Example{Name: name, Text: encode(value)}
	for key, v := range value.members() {
		e.members = append(e.members, member{key, v.text()})
	}
	return e
}

var operationLine = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) (/\S+)$`)

// markdown renders a description. Schemas that many operations share are read for each of them, but their descriptions
// are rendered once.
func (p *parser) markdown(text string) template.HTML {
	html, done := p.rendered[text]
	if done {
		return html
	}
	html, err := book.Fragment(text, p.link)
	if err != nil && p.malformed == nil {
		p.malformed = fmt.Errorf("reference: %w", err)
	}
	p.rendered[text] = html
	return html
}

// link returns the URL for a reference in a description, or "". It is a page of the documentation or a schema. For a
// word in code, it is an error code or an operation.
func (p *parser) link(ref string) string {
	if strings.HasPrefix(ref, book.Home+"/") {
		return ref
	}
	if name, ok := strings.CutPrefix(ref, "#/components/schemas/"); ok {
		return Href(name)
	}
	if _, known := p.doc.codes[ref]; known {
		return Errors + "#" + ref
	}
	method, path := "", ref
	if m := operationLine.FindStringSubmatch(ref); m != nil {
		method, path = strings.ToLower(m[1]), m[2]
	}
	if !strings.HasPrefix(path, "/") {
		return ""
	}
	for name, n := range p.root.get("paths").get(path).members() {
		if method == "" || name == method {
			return Href(n.get("operationId").text())
		}
	}
	return ""
}
