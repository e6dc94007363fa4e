package reference_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"example.com/griot/openapi"
	"example.com/griot/web/reference"
)

// parsed caches parsed documents by their text, because parsing takes seconds with the race detector.
var parsed sync.Map

func parse(t *testing.T, text []byte) *reference.Document {
	t.Helper()
	once, _ := parsed.LoadOrStore(string(text), sync.OnceValues(func() (*reference.Document, error) { return reference.Parse(text) }))
	d, err := once.(func() (*reference.Document, error))()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The reference contains everything that another OpenAPI reader finds in the documents.
func TestParse_LeavesNothingOut(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{"auth": openapi.Auth(), "messaging": openapi.Messaging()} {
		d := parse(t, text)
		spec, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		if d.Title != spec.Info.Title || len(d.About) == 0 || len(d.Groups) != len(spec.Tags) || len(d.Objects) != len(spec.Components.Schemas) {
			t.Errorf("%s: %q, %d groups, %d objects", name, d.Title, len(d.Groups), len(d.Objects))
		}
		count := 0
		for path, item := range spec.Paths.Map() {
			for method, want := range item.Operations() {
				count++
				op, ok := d.Operation(want.OperationID)
				if !ok || op.Method != method || op.Path != path || op.Summary != want.Summary || op.Group.Name != want.Tags[0] || !slices.Contains(op.Group.Operations, op) {
					t.Errorf("%s %s: got %+v", method, path, op)
					continue
				}
				checkOperation(t, op, want)
			}
		}
		for _, g := range d.Groups {
			count -= len(g.Operations)
		}
		if count != 0 {
			t.Errorf("%s: %d operations are not in one group", name, count)
		}
	}
}

func checkOperation(t *testing.T, op *reference.Operation, want *openapi3.Operation) {
	t.Helper()
	if len(op.Parameters) != len(want.Parameters) || len(op.Responses) != want.Responses.Len() {
		t.Errorf("%s: %d parameters, %d responses; want %d, %d", op.ID, len(op.Parameters), len(op.Responses), len(want.Parameters), want.Responses.Len())
	}
	for i, p := range want.Parameters {
		got := op.Parameters[i]
		if got.Name != p.Value.Name || got.In != p.Value.In || got.Required != p.Value.Required || got.Object.Type == "" && got.Object.Variants == nil {
			t.Errorf("%s: parameter %+v, want %+v", op.ID, got, p.Value)
		}
	}
	if want.RequestBody == nil {
		if len(op.Bodies) != 0 {
			t.Errorf("%s: a body, want none", op.ID)
		}
		return
	}
	if len(op.Bodies) != len(want.RequestBody.Value.Content) || len(op.Bodies[0].Examples) == 0 || op.Bodies[0].Object == nil {
		t.Errorf("%s: bodies %+v, the first needs an example", op.ID, op.Bodies)
		return
	}
	for _, b := range op.Bodies {
		checkFields(t, op.ID, b.Object, want.RequestBody.Value.Content[b.MediaType].Schema.Value)
		for _, e := range b.Examples {
			if !json.Valid([]byte(e.Text)) {
				t.Errorf("%s: the example %q is no JSON: %s", op.ID, e.Name, e.Text)
			}
		}
	}
}

func checkFields(t *testing.T, where string, got *reference.Object, want *openapi3.Schema) {
	t.Helper()
	for name, property := range want.Properties {
		i := slices.IndexFunc(got.Fields, func(f *reference.Field) bool { return f.Name == name })
		if i < 0 {
			t.Errorf("%s: no field %s", where, name)
			continue
		}
		f := got.Fields[i]
		if f.Required != slices.Contains(want.Required, name) {
			t.Errorf("%s: %s is required: %v", where, name, f.Required)
		}
		if property.Ref == "" {
			checkFields(t, where+"."+name, f.Object, property.Value)
		}
		if property.Value.Description != "" && len(f.Object.About) == 0 {
			t.Errorf("%s: %s has no description", where, name)
		}
	}
}

func TestParse_FieldsSayWhatBoundsThem(t *testing.T) {
	t.Parallel()
	d := parse(t, []byte(`
info: {title: T}
tags: [{name: One two}]
components:
  schemas:
    ErrorCode: {enum: [gone]}
    Name: {type: string, description: A name., minLength: 1, maxLength: 9}
    Pair: {type: object, required: [left], properties: {left: {$ref: '#/components/schemas/Name'}}}
paths:
  /x:
    post:
      operationId: doX
      tags: [One two]
      requestBody:
        content:
          application/json:
            schema:
              allOf:
                - $ref: '#/components/schemas/Pair'
                - {required: [right], properties: {right: {type: [integer, 'null'], minimum: 2, default: 3, description: 'See `+"`gone`, `POST /x`, [Pair](#/components/schemas/Pair), [the guide](/docs/guide) and [another](https://other.example)"+`.'}}}
                - properties:
                    names: {type: array, maxItems: 4, items: {$ref: '#/components/schemas/Name'}}
                    either: {oneOf: [{$ref: '#/components/schemas/Pair'}, {type: string, format: date-time, pattern: ^2}, {type: 'null'}]}
                    maybe: {anyOf: [{$ref: '#/components/schemas/Name'}, {type: 'null'}], description: Or none.}
                    kind: {type: string, enum: [a, b], deprecated: true, example: a}
                    both: {$ref: '#/components/schemas/Pair', required: [left], properties: {left: {enum: [l, r]}}}
            example: {left: 'it''s', right: 4}
      responses:
        '410': {description: 'It is `+"`gone`, not `here`"+`.'}
        '204': {description: Done.}
`))
	op, ok := d.Operation("doX")
	if !ok || op.Responses[0].Status != "204" || !slices.Equal(op.Codes, []string{"gone"}) || d.Uses("gone") != 1 || d.Uses("here") != 0 || op.Group.Anchor != "one-two" {
		t.Fatalf("got %+v", op)
	}
	fields := map[string]*reference.Field{}
	for _, f := range op.Bodies[0].Object.Fields {
		fields[f.Name] = f
	}
	for name, want := range map[string]string{
		"left":   `required string [{characters 1–9}]`,
		"right":  `required integer null [{range ≥ 2}] =3`,
		"names":  `string[] [{items ≤ 4}]`,
		"either": `null 2 variants`,
		"maybe":  `string null [{characters 1–9}]`,
		"kind":   `deprecated string a|b (a)`,
		"both":   `object`,
	} {
		if got := describe(fields[name]); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	const about = `<p>See <a href="/docs/errors#gone"><code>gone</code></a>, <a href="/docs/reference/doX"><code>POST /x</code></a>, ` +
		`<a href="/docs/reference/Pair">Pair</a>, <a href="/docs/guide">the guide</a> and another.</p>` + "\n"
	if got := string(fields["right"].Object.About); got != about {
		t.Errorf("got %s, want %s", got, about)
	}
	if got, want := describe(fields["both"].Object.Fields[0]), `required string [{characters 1–9}] l|r`; got != want {
		t.Errorf("what stands beside a reference: got %s, want %s", got, want)
	}
	if pair, _ := d.Object("Pair"); len(pair.Operations) != 1 {
		t.Errorf("Pair is used by %d operations, want 1", len(pair.Operations))
	}
	const curl = `curl 'https://a.example/x' \
  -H 'Content-Type: application/json' \
  -d '{
  "left": "it'\''s",
  "right": 4
}'`
	if got := op.Curl("https://a.example"); got != curl {
		t.Errorf("got\n%s\nwant\n%s", got, curl)
	}
}

// describe returns a short description of a field.
func describe(f *reference.Field) string {
	if f == nil {
		return "nothing"
	}
	var b strings.Builder
	add := func(yes bool, words string) {
		if yes {
			b.WriteString(" " + words)
		}
	}
	o := f.Object
	add(f.Required, "required")
	add(f.Deprecated, "deprecated")
	add(o.Type != "", o.Type)
	add(o.Nullable, "null")
	for _, l := range o.Limits {
		add(true, "[{"+l.Kind+" "+l.Text+"}]")
	}
	add(len(o.Enum) > 0, strings.Join(o.Enum, "|"))
	add(o.Default != "", "="+o.Default)
	add(f.Example != "", "("+f.Example+")")
	add(len(o.Variants) == 2, "2 variants")
	return strings.TrimSpace(b.String())
}

func TestParse_RefusesWhatItCannotShow(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":        "",
		"no YAML":        "a: [",
		"no tag":         "paths: {/x: {get: {operationId: x}}}",
		"no operationId": "tags: [{name: a}]\npaths: {/x: {get: {tags: [a]}}}",
	} {
		if d, err := reference.Parse([]byte(text)); err == nil {
			t.Errorf("%s: got %+v, want an error", name, d)
		}
	}
}

func TestParse_RefusesMarkup(t *testing.T) {
	t.Parallel()
	for _, about := range []string{"<b>x</b>", "# x", "![x](/docs/x)", "|a|\n|---|\n|b|"} {
		if _, err := reference.Parse([]byte("info: {title: T, description: " + strconv.Quote(about) + "}")); err == nil {
			t.Errorf("%q is shown", about)
		}
	}
}
