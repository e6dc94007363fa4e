package openapi_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
)

// Tools once handled the documents badly: a field with a default became required, null in an enum became the text
// "<nil>", and a schema that is true or false, or has two types, crashed the generator.
func TestDocuments_SuitGeneratorsOfClients(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, h service, _ *openapi3.T) {
		for _, problem := range oddities(t, h.text) {
			t.Error(problem)
		}
	})
}

func TestOddities_AreSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a default":             {"components: {schemas: {A: {properties: {a: {type: string, default: x}}}}}", "components/schemas/A/properties/a: default"},
		"a default in a body":   {"paths: {/x: {post: {requestBody: {content: {j: {schema: {properties: {a: {default: 1}}}}}}}}}", "properties/a: default"},
		"a boolean schema":      {"components: {schemas: {A: {properties: {a: false}}}}", "components/schemas/A/properties/a: a schema that is false"},
		"two types":             {"components: {schemas: {A: {type: [string, integer]}}}", "components/schemas/A: type"},
		"two types and null":    {"components: {schemas: {A: {type: [string, integer, 'null']}}}", "components/schemas/A: type"},
		"null in an enum":       {"components: {schemas: {A: {type: [string, 'null'], enum: [a, null]}}}", "components/schemas/A: enum"},
		"a class of Unicode":    {`components: {schemas: {A: {pattern: '^\p{L}$'}}}`, "components/schemas/A: pattern"},
		"no class of Unicode":   {`components: {schemas: {A: {pattern: '^\P{Cc}$'}}}`, "components/schemas/A: pattern"},
		"a condition in allOf":  {"components: {schemas: {A: {allOf: [{if: {}, then: {}}]}}}", "components/schemas/A/allOf/0: a condition"},
		"a condition in oneOf":  {"components: {schemas: {A: {oneOf: [{required: [a]}]}}}", "components/schemas/A/oneOf/0: a condition"},
		"nothing":               {"components: {schemas: {A: {properties: {a: {type: [string, 'null']}, default: {type: string}}}}}", ""},
		"a parameter's default": {"paths: {/x: {get: {parameters: [{name: a, in: query, schema: {default: 1}}]}}}", ""},
		"a condition":           {"components: {schemas: {A: {dependentSchemas: {a: {oneOf: [{required: [b]}, {properties: {b: false}}]}}}}}", ""},
		"an example":            {"components: {schemas: {A: {example: {properties: {a: false}, type: [a, b]}}}}", ""},
	} {
		got := strings.Join(oddities(t, []byte(c.text)), "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// oddities returns the parts of a document that generators handle badly.
func oddities(t *testing.T, text []byte) []string {
	t.Helper()
	var root any
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var found []string
	var walk func(v any, at []string)
	walk = func(v any, at []string) {
		switch v := v.(type) {
		case map[string]any:
			if !isMap(at) {
				for _, what := range odd(v, at) {
					found = append(found, strings.Join(at, "/")+": "+what)
				}
			}
			for name, member := range v {
				if !isMap(at) && slices.Contains([]string{"example", "examples", "dependentSchemas", "if", "then", "else", "not", "const"}, name) {
					continue // values and conditions, which generators ignore
				}
				walk(member, append(slices.Clone(at), name))
			}
		case []any:
			for i, item := range v {
				walk(item, append(slices.Clone(at), strconv.Itoa(i)))
			}
		case bool:
			if n := len(at); n > 1 && (at[n-2] == "properties" || at[n-1] == "items") {
				found = append(found, strings.Join(at, "/")+": a schema that is "+strconv.FormatBool(v))
			}
		}
	}
	walk(root, nil)
	return found
}

// isMap reports whether an object's names are names of the service, and not of OpenAPI.
func isMap(at []string) bool {
	return len(at) > 0 && slices.Contains([]string{"properties", "schemas", "paths", "responses", "parameters", "headers"}, at[len(at)-1])
}

// odd returns the parts of one object that generators handle badly.
func odd(v map[string]any, at []string) []string {
	var found []string
	if _, there := v["default"]; there && len(at) > 1 && at[len(at)-2] == "properties" {
		found = append(found, "default makes a member required that may be left out: say it in the description")
	}
	if types, ok := v["type"].([]any); ok && (len(types) != 2 || !slices.Contains(types, any("null"))) {
		found = append(found, "type has several: write oneOf")
	}
	if enum, ok := v["enum"].([]any); ok && slices.Contains(enum, nil) {
		found = append(found, "enum has null: write anyOf with a type null")
	}
	if pattern, ok := v["pattern"].(string); ok && strings.Contains(strings.ToLower(pattern), `\p{`) {
		found = append(found, "pattern has a class of Unicode, which not every language knows")
	}
	if n := len(at); n > 1 && slices.Contains([]string{"allOf", "oneOf", "anyOf"}, at[n-2]) && !describes(v) {
		found = append(found, "a condition becomes a type: write it in dependentSchemas")
	}
	return found
}

// describes reports whether a schema describes a value, and not only a condition.
func describes(v map[string]any) bool {
	return slices.ContainsFunc([]string{"$ref", "type", "oneOf", "anyOf"}, func(name string) bool { _, there := v[name]; return there })
}
