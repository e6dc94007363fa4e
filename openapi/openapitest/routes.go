package openapitest

import (
	"maps"
	"regexp"
	"slices"
	"testing"
)

// Routes fails t unless the routes, each "METHOD /path/{parameter}" as http.ServeMux
// takes it, are the document's operations: none more and none less.
func Routes(t testing.TB, document []byte, routes []string) {
	t.Helper()
	d, err := load(document)
	if err != nil {
		t.Fatalf("openapi: %v", err)
	}
	described := map[string]string{} // by the form in which they are compared
	for pattern, op := range d.patterns() {
		described[subtree(pattern)] = op
	}
	served := map[string]bool{}
	for _, route := range routes {
		served[subtree(route)] = true
		if described[subtree(route)] == "" {
			t.Errorf("openapi: the route %s is not in the document", route)
		}
	}
	for _, form := range slices.Sorted(maps.Keys(described)) {
		if !served[form] {
			t.Errorf("openapi: the document has %s, which is no route", described[form])
		}
	}
}

var rest = regexp.MustCompile(`\{[^{}]*\.\.\.\}$`)

// subtree writes /static/{path...} as /static/, which serves the same.
func subtree(route string) string { return rest.ReplaceAllString(route, "") }
