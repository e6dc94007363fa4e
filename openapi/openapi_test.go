package openapi_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"example.com/griot/internal/apierror"
	"example.com/griot/openapi"
)

// service is a document with the catalog of its service's errors.
type service struct {
	name  string
	text  []byte
	kinds []*apierror.Kind
}

func services() []service {
	return []service{
		{"auth", openapi.Auth(), apierror.AuthKinds()},
		{"messaging", openapi.Messaging(), apierror.MessagingKinds()},
	}
}

// eachDocument runs a test on both documents.
func eachDocument(t *testing.T, f func(t *testing.T, h service, spec *openapi3.T)) {
	t.Helper()
	for _, h := range services() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			spec, err := openapi3.NewLoader().LoadFromData(h.text)
			if err != nil {
				t.Fatal(err)
			}
			if len(operations(spec)) == 0 || len(h.kinds) == 0 {
				t.Fatalf("%d operations and %d kinds of errors, want some", len(operations(spec)), len(h.kinds))
			}
			f(t, h, spec)
		})
	}
}

// operation is one of a document's operations.
type operation struct {
	*openapi3.Operation
	method, path string
}

func operations(spec *openapi3.T) []operation {
	var all []operation
	for _, path := range slices.Sorted(maps.Keys(spec.Paths.Map())) {
		byMethod := spec.Paths.Value(path).Operations()
		for _, method := range slices.Sorted(maps.Keys(byMethod)) {
			all = append(all, operation{byMethod[method], method, path})
		}
	}
	return all
}

// Rules: L176, M180.
func TestDocuments_AreValid(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, _ service, spec *openapi3.T) {
		if err := spec.Validate(t.Context(), openapi3.EnableMultiError()); err != nil {
			t.Error(err)
		}
		if spec.OpenAPI != "3.1.0" || spec.Info.Version != "0.1.0" {
			t.Errorf("OpenAPI %s, version %s", spec.OpenAPI, spec.Info.Version)
		}
		ids := map[string]bool{}
		for _, op := range operations(spec) {
			where := op.method + " " + op.path
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s: operationId %q is missing or taken", where, op.OperationID)
			}
			ids[op.OperationID] = true
			if op.Summary == "" || len(op.Tags) != 1 || spec.Tags.Get(op.Tags[0]) == nil {
				t.Errorf("%s: summary %q, tags %v", where, op.Summary, op.Tags)
			}
		}
	})
}

// Behavior of the HTTP layer for every operation must be documented for every operation.
func TestDocuments_SayWhatHoldsEverywhere(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, _ service, spec *openapi3.T) {
		for _, op := range operations(spec) {
			where := op.method + " " + op.path
			for _, status := range []int{http.StatusBadRequest, http.StatusInternalServerError} {
				if op.Responses.Status(status) == nil {
					t.Errorf("%s: no response %d", where, status)
				}
			}
			for status, r := range op.Responses.Map() {
				required := []string{"X-Request-Id"}
				if status == "429" || status == "503" {
					required = append(required, "Retry-After")
				}
				for _, name := range required {
					if h := r.Value.Headers[name]; h == nil || !h.Value.Required {
						t.Errorf("%s -> %s: no required header %s", where, status, name)
					}
				}
			}
		}
	})
}

// Rules: L136, L137, M161.
func TestErrorCodes_AreTheCatalogue(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, h service, spec *openapi3.T) {
		want, words := map[string]bool{}, map[string]bool{}
		for _, k := range h.kinds {
			want[k.Code], words[k.OAuth] = true, true
		}
		checkEnum(t, spec, "ErrorCode", want)
		if h.name == "auth" {
			checkEnum(t, spec, "OAuthError", words)
		}
	})
}

func checkEnum(t *testing.T, spec *openapi3.T, schema string, want map[string]bool) {
	t.Helper()
	got := map[string]bool{}
	for _, v := range spec.Components.Schemas[schema].Value.Enum {
		code, ok := v.(string)
		if !ok || got[code] {
			t.Errorf("%s: %v is no string or listed twice", schema, v)
		}
		if got[code] = true; !want[code] {
			t.Errorf("%s: %q is not in the catalog", schema, code)
		}
	}
	for code := range want {
		if !got[code] {
			t.Errorf("%s: %q of the catalog is not in the document", schema, code)
		}
	}
}

// A response's description names its codes, and each line of the catalog is in a response.
// Rules: L135, M160.
func TestErrorCodes_AreNamedWhereTheyOccur(t *testing.T) {
	t.Parallel()
	quoted := regexp.MustCompile("`([a-z]+(_[a-z]+)*)`")
	eachDocument(t, func(t *testing.T, h service, spec *openapi3.T) {
		components := descriptions(t, h.text)
		lines := map[string]bool{} // "400 invalid_json", and whether it was named
		for _, k := range h.kinds {
			lines[strconv.Itoa(k.Status)+" "+k.Code] = false
		}
		for _, op := range operations(spec) {
			for status, r := range op.Responses.Map() {
				if status < "400" {
					continue
				}
				text := components[strings.TrimPrefix(r.Ref, "#/components/responses/")]
				switch {
				case r.Description != nil:
					text = *r.Description // next to a $ref, it is that of the referenced response
				case r.Ref == "":
					text = *r.Value.Description
				}
				for _, m := range quoted.FindAllStringSubmatch(text, -1) {
					line := status + " " + m[1]
					if _, known := lines[line]; !known {
						t.Errorf("%s %s: %q is not in the catalog", op.method, op.path, line)
					}
					lines[line] = true
				}
			}
		}
		for line, named := range lines {
			if !named && !strings.HasSuffix(line, " method_not_allowed") { // that one belongs to no operation
				t.Errorf("%q is named by no operation", line)
			}
		}
	})
}

// descriptions returns the descriptions of the shared responses. kin's are unreliable,
// because a description next to one $ref overwrites the shared one.
func descriptions(t *testing.T, text []byte) map[string]string {
	t.Helper()
	var document struct {
		Components struct {
			Responses map[string]struct{ Description string }
		}
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, r := range document.Components.Responses {
		out[name] = r.Description
	}
	return out
}
