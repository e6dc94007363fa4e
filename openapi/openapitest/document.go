package openapitest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// multiSegment marks a path parameter that can contain slashes, which OpenAPI can't express.
const multiSegment = "x-multi-segment"

// document is a loaded document, with a router that matches like the server's.
type document struct {
	spec    *openapi3.T
	schemas *schemas
	headers map[*openapi3.Response]map[string]header
	mux     *http.ServeMux
}

// loaded are the documents by their texts: a test process has two, and hundreds of handlers that are validated against
// them.
var loaded sync.Map

type loading struct {
	once sync.Once
	d    *document
	err  error
}

func load(text []byte) (*document, error) {
	known, _ := loaded.LoadOrStore(string(text), &loading{})
	l, _ := known.(*loading)
	l.once.Do(func() { l.d, l.err = read(text) })
	return l.d, l.err
}

func read(text []byte) (*document, error) {
	spec, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	d := &document{spec: spec, headers: map[*openapi3.Response]map[string]header{}, mux: http.NewServeMux()}
	if d.schemas, err = newSchemas(text); err != nil {
		return nil, err
	}
	if spec.Components == nil || spec.Components.Schemas["Error"] == nil {
		return nil, fmt.Errorf("the document has no schema Error")
	}
	for path, item := range spec.Paths.Map() {
		for method, op := range item.Operations() {
			d.mux.Handle(method+" "+pattern(path, item, op), found(&routers.Route{Spec: spec, Path: path, PathItem: item, Method: method, Operation: op}))
			ignoreOpaque(op)
			d.takeHeaders(path, method, op)
		}
	}
	return d, nil
}

// patterns returns the document's operations as "METHOD pattern", each with its method and path.
func (d *document) patterns() map[string]string {
	out := map[string]string{}
	for path, item := range d.spec.Paths.Map() {
		for method, op := range item.Operations() {
			out[method+" "+pattern(path, item, op)] = method + " " + path
		}
	}
	return out
}

// pattern converts a path of the document to a pattern of http.ServeMux.
func pattern(path string, item *openapi3.PathItem, op *openapi3.Operation) string {
	for _, p := range append(append(openapi3.Parameters{}, item.Parameters...), op.Parameters...) {
		if p.Value.In == openapi3.ParameterInPath && p.Value.Extensions[multiSegment] == true {
			path = strings.Replace(path, "{"+p.Value.Name+"}", "{"+p.Value.Name+"...}", 1)
		}
	}
	return path
}

// ignoreOpaque removes the schemas of bodies without a structure, such as pages and
// pictures, because kin would refuse them. Their content type is still checked.
func ignoreOpaque(op *openapi3.Operation) {
	for _, r := range op.Responses.Map() {
		for name, media := range r.Value.Content {
			if openapi3filter.RegisteredBodyDecoder(name) == nil {
				media.Schema = nil
			}
		}
	}
}

// match is the result of a route's handler for a request.
type match struct {
	route  *routers.Route
	params map[string]string
}

type matchKey struct{}

// found returns a handler that writes no response, but stores its route in the request's match.
func found(route *routers.Route) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		m, ok := r.Context().Value(matchKey{}).(*match)
		if !ok {
			return
		}
		m.route, m.params = route, map[string]string{}
		for _, list := range []openapi3.Parameters{route.PathItem.Parameters, route.Operation.Parameters} {
			for _, p := range list {
				if p.Value.In == openapi3.ParameterInPath {
					m.params[p.Value.Name] = r.PathValue(p.Value.Name)
				}
			}
		}
	})
}

// find returns the operation of a request, or a match without a route.
func (d *document) find(r *http.Request) *match {
	m := new(match)
	d.mux.ServeHTTP(discard{}, r.Clone(context.WithValue(r.Context(), matchKey{}, m)))
	return m
}

// discard is a ResponseWriter that discards the router's own responses.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
