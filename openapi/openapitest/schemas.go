package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemas are the document's JSON Schemas, each compiled on its first use. (kin compiles
// one for each body and each header, which was half of the work of the APIs' tests.)
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const resource = "file:///openapi.json"

func newSchemas(text []byte) (*schemas, error) {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	forgetJudgedAlone(document)
	plain, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	if document, err = jsonschema.UnmarshalJSON(bytes.NewReader(plain)); err != nil {
		return nil, err
	}
	s := &schemas{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	s.compiler.AssertFormat()
	for name, check := range formatChecks() {
		s.compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if text, ok := v.(string); ok {
				return check(text)
			}
			return nil
		}})
	}
	return s, s.compiler.AddResource(resource, document)
}

// judgedAlone marks an array whose items are validated separately: a request with an invalid item is accepted, and the
// response reports the error of that item. The schema of its items is for authors of requests.
const judgedAlone = "x-judged-alone"

// forgetJudgedAlone removes the schemas of such items everywhere.
func forgetJudgedAlone(v any) {
	switch v := v.(type) {
	case map[string]any:
		if v[judgedAlone] == true {
			delete(v, "items")
		}
		for _, member := range v {
			forgetJudgedAlone(member)
		}
	case []any:
		for _, item := range v {
			forgetJudgedAlone(item)
		}
	}
}

// validate validates a body, or a header's value in JSON, against the schema at a JSON pointer of the document (RFC
// 6901).
func (s *schemas) validate(pointer string, body []byte) error {
	schema, err := s.at(pointer)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return errors.New("it is not one JSON value")
	}
	err = schema.Validate(v)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return errors.New(strings.Join(reasonsOf(invalid), "; "))
	}
	return err
}

func (s *schemas) at(pointer string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.compiled[pointer]; known != nil {
		return known, nil
	}
	schema, err := s.compiler.Compile(resource + "#" + (&url.URL{Fragment: pointer}).EscapedFragment())
	if err != nil {
		return nil, fmt.Errorf("the schema at %s: %w", pointer, err)
	}
	s.compiled[pointer] = schema
	return schema, nil
}

// reasonsOf returns the locations and the reasons, without quoting schemas and values at length.
func reasonsOf(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		return []string{"at '/" + strings.Join(e.InstanceLocation, "/") + "': " + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, reasonsOf(cause)...)
	}
	return all
}

// responseSchema returns the pointer to the schema of an operation's response with this status; "" if kin must check
// its content.
func responseSchema(path, method string, responses *openapi3.Responses, status int, media string) string {
	for _, key := range []string{strconv.Itoa(status), strconv.Itoa(status/100) + "XX", "default"} {
		if r := responses.Value(key); r != nil {
			return schemaAt(r.Ref, r.Value.Content, media, "paths", path, strings.ToLower(method), "responses", key)
		}
	}
	return ""
}

// requestSchema returns the same as responseSchema for a request's body.
func requestSchema(path, method string, body *openapi3.RequestBodyRef, media string) string {
	if body == nil {
		return ""
	}
	return schemaAt(body.Ref, body.Value.Content, media, "paths", path, strings.ToLower(method), "requestBody")
}

func schemaAt(ref string, content openapi3.Content, media string, steps ...string) string {
	if media != jsonType || content[media] == nil || content[media].Schema == nil {
		return ""
	}
	return pointer(ref, steps...) + "/content/" + escaped(media) + "/schema"
}

// pointer returns the pointer to the target of a reference. Without a reference, it returns the
// pointer with these steps.
func pointer(ref string, steps ...string) string {
	at := strings.TrimPrefix(ref, "#")
	if ref == "" {
		for _, s := range steps {
			at += "/" + escaped(s)
		}
	}
	return at
}

func escaped(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }
