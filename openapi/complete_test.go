package openapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Every part of the documents has a description and an example for readers and tools.
func TestDocuments_AreComplete(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, _ service, spec *openapi3.T) {
		for _, op := range operations(spec) {
			where := op.method + " " + op.path
			if op.Description == "" {
				t.Errorf("%s: no description", where)
			}
			for _, p := range op.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s: the parameter %s has no description", where, p.Value.Name)
				}
			}
			if op.RequestBody != nil {
				checkExamples(t, where, op.RequestBody.Value.Content)
			}
			for status, r := range op.Responses.Map() {
				checkExamples(t, where+" -> "+status, r.Value.Content)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(spec.Components.Schemas)) {
			if spec.Components.Schemas[name].Value.Description == "" {
				t.Errorf("the schema %s has no description", name)
			}
		}
		used := map[string]bool{}
		for _, op := range operations(spec) {
			used[op.Tags[0]] = true
		}
		for _, tag := range spec.Tags {
			if tag.Description == "" || !used[tag.Name] {
				t.Errorf("the tag %s has no description, or no operation", tag.Name)
			}
		}
	})
}

// checkExamples checks that every described JSON body or form has an example.
func checkExamples(t *testing.T, where string, content openapi3.Content) {
	t.Helper()
	for media, c := range content {
		if (strings.HasSuffix(media, "json") || strings.HasSuffix(media, "urlencoded")) && len(examples(c)) == 0 {
			t.Errorf("%s: no example of %s", where, media)
		}
	}
}
