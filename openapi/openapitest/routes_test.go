package openapitest_test

import (
	"slices"
	"testing"

	"example.com/griot/openapi/openapitest"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	all := []string{"POST /things", "GET /things/{id}", "GET /pages/{path...}"}
	for _, tt := range []struct {
		name   string
		routes []string
		want   []string
	}{
		{"the same", all, nil},
		{"a subtree without a name", append(slices.Clone(all[:2]), "GET /pages/"), nil},
		{"a route more", append(slices.Clone(all), "PUT /things"), []string{"openapi: the route PUT /things is not in the document"}},
		{"a route less", all[1:], []string{"openapi: the document has POST /things, which is no route"}},
		{"another parameter", append(slices.Clone(all[:1]), "GET /things/{thing}", all[2]), []string{
			"openapi: the route GET /things/{thing} is not in the document", "openapi: the document has GET /things/{id}, which is no route",
		}},
	} {
		tb := &recorder{TB: t}
		openapitest.Routes(tb, []byte(small), tt.routes)
		if !slices.Equal(tb.errors, tt.want) {
			t.Errorf("%s: reported %q, want %q", tt.name, tb.errors, tt.want)
		}
	}
}
