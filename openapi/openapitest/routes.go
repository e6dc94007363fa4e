package openapitest

import (
	"maps"
	"regexp"
	"slices"
	"testing"
)

// Routes fails t unless the routes are exactly the document's operations. Each route is
// "METHOD /path/{parameter}", in the format of http.ServeMux.
func Routes(t testing.TB, document []byte, routes []string) {
	t.Helper()
	d, err := load(document)
	if err != nil {
		t.Fatalf("openapi: %v", err)
	}
	described := map[string]string{} // by the form for comparison
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

// subtree converts /static/{path...} to /static/, which serves the same paths.
func subtree(route string) string { return rest.ReplaceAllString(route, "") }
