package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"example.com/griot/openapi/openapitest"
)

const jsonType = "application/json"

// stage plays exchanges, and collects their differences from the document.
type stage struct {
	tb   *recorder
	h    http.Handler
	play func(w http.ResponseWriter)
}

func newStage(t *testing.T, document []byte) *stage {
	t.Helper()
	s := &stage{tb: &recorder{TB: t}}
	s.h = openapitest.Wrap(s.tb, document, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { s.play(w) }))
	return s
}

// problems plays a request with a response of a status, headers, and a body, and returns the differences from the
// document.
func (s *stage) problems(r *http.Request, status int, header http.Header, body string) []string {
	s.tb.errors = nil
	s.play = func(w http.ResponseWriter) {
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
	s.h.ServeHTTP(httptest.NewRecorder(), r)
	return s.tb.errors
}

func TestExamples_AgreeWithTheDocuments(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, h service, spec *openapi3.T) {
		s, played := newStage(t, h.text), 0
		for _, op := range operations(spec) {
			for code, ref := range op.Responses.Map() {
				status, _ := strconv.Atoi(code)
				for name, request := range requests(t, spec, op) {
					for example, body := range bodies(ref.Value) {
						played++
						if problems := s.problems(request(), status, headers(t, ref.Value), body); len(problems) != 0 {
							t.Errorf("%s -> %s, examples %q and %q: %q", op.OperationID, code, name, example, problems)
						}
					}
				}
			}
		}
		if played < 100 {
			t.Errorf("only %d examples were played", played)
		}
	})
}

// A document that is too lax, or a validator that doesn't check, accepts a broken example.
func TestExamples_DoNotPassWhenBroken(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, h service, spec *openapi3.T) {
		s, broken, seen := newStage(t, h.text), 0, map[*openapi3.Response]bool{}
		for _, op := range operations(spec) {
			for code, ref := range op.Responses.Map() {
				if seen[ref.Value] {
					continue
				}
				seen[ref.Value] = true
				status, _ := strconv.Atoi(code)
				try := func(what string, header http.Header, body string) {
					t.Helper()
					broken++
					if len(s.problems(firstRequest(t, spec, op), status, header, body)) == 0 {
						t.Errorf("%s -> %s passes with %s: %s", op.OperationID, code, what, body)
					}
				}
				for _, body := range bodies(ref.Value) {
					for name, header := range ref.Value.Headers {
						if header.Value.Required {
							without := headers(t, ref.Value)
							without.Del(name)
							try("no "+name, without, body)
						}
					}
					if ref.Value.Content[jsonType] == nil {
						continue
					}
					for what, other := range mutations(t, body) {
						if !mayDiffer(op.OperationID, what) {
							try(what, headers(t, ref.Value), other)
						}
					}
				}
			}
		}
		if broken < 100 {
			t.Errorf("only %d broken exchanges were played", broken)
		}
	})
}

// mayDiffer reports whether a change leaves a response valid: optional fields, and objects in free form.
func mayDiffer(operationID, what string) bool {
	verb, at, _ := strings.Cut(what, " ")
	switch verb {
	case "without":
		return slices.Contains([]string{
			"/payloadMismatch", "/reason", "/metadata/order", "/logs/0/metadata/order",
			"/result/content", // a ping has an empty result
			"/response_modes_supported", "/token_endpoint_auth_methods_supported", "/authorization_response_iss_parameter_supported",
			"/phone_number", "/phone_number_verified", "/name", // of userinfo: depends on the scopes
		}, at) || operationID == "listAuditEvents" && strings.Contains(at, "/details/")
	case "type": // the values of a form can be any object, and so can the one that stands for another type
		return (operationID == "listConversationMessages" || operationID == "searchInboxMessages") && strings.HasSuffix(at, "/response")
	case "extra":
		return at == "/profile/metadata" || operationID == "exportPerson" && at == "/metadata" || operationID == "getMetadata" || operationID == "getOpenIDMetadata"
	}
	return false
}

// mutations returns variants of a JSON text: each with one field removed, one value of another type, or an additional
// field in one object.
func mutations(t *testing.T, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	emit := func(what string) {
		b, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		out[what] = string(b)
	}
	var walk func(v any, at string)
	swap := func(set func(any), v any, at string) {
		var other any = map[string]any{"of": "another type"}
		switch v.(type) {
		case map[string]any, []any:
			other = 7
		}
		set(other)
		emit("type " + at)
		set(v)
		walk(v, at)
	}
	walk = func(v any, at string) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				member := v[name]
				delete(v, name)
				emit("without " + at + "/" + name)
				swap(func(x any) { v[name] = x }, member, at+"/"+name)
			}
			v["oneTooMany"] = 1
			emit("extra " + at)
			delete(v, "oneTooMany")
		case []any:
			for i, item := range v {
				swap(func(x any) { v[i] = x }, item, fmt.Sprintf("%s/%d", at, i))
			}
		}
	}
	walk(root, "")
	return out
}

// bodies returns a response's JSON examples by name, or a body for pages and pictures.
func bodies(r *openapi3.Response) map[string]string {
	out := map[string]string{}
	media := r.Content[jsonType]
	switch {
	case media == nil && len(r.Content) == 0:
		out["nothing"] = ""
	case media == nil:
		out["opaque"] = "<p>"
	default:
		for name, value := range examples(media) {
			out[name] = encode(jsonType, value)
		}
	}
	return out
}

func examples(media *openapi3.MediaType) map[string]any {
	out := map[string]any{}
	if media.Example != nil {
		out["the one"] = media.Example
	}
	for name, ref := range media.Examples {
		out[name] = ref.Value.Value
	}
	return out
}

// headers returns a response's headers with the values of their examples.
func headers(t *testing.T, r *openapi3.Response) http.Header {
	t.Helper()
	out := http.Header{}
	for name, ref := range r.Headers {
		if ref.Value.Example == nil {
			t.Errorf("the header %s has no example", name)
		}
		out.Set(name, fmt.Sprint(ref.Value.Example))
	}
	for contentType := range r.Content {
		if contentType == "*/*" {
			contentType = "text/css"
		}
		if out.Get("Content-Type") != jsonType {
			out.Set("Content-Type", contentType)
		}
	}
	return out
}

// requests returns an operation's requests by the name of the example for their body.
func requests(t *testing.T, spec *openapi3.T, op operation) map[string]func() *http.Request {
	t.Helper()
	out := map[string]func() *http.Request{}
	if op.RequestBody == nil {
		out["no body"] = func() *http.Request { return request(t, spec, op, "") }
		return out
	}
	for contentType, media := range op.RequestBody.Value.Content {
		for name, value := range examples(media) {
			body := encode(contentType, value)
			out[name] = func() *http.Request {
				r := request(t, spec, op, body)
				r.Header.Set("Content-Type", contentType)
				return r
			}
		}
	}
	if len(out) == 0 {
		t.Errorf("%s: no example of a request", op.OperationID)
	}
	return out
}

// encode encodes an example as a body.
func encode(contentType string, example any) string {
	members, ok := example.(map[string]any)
	if !ok || contentType != "application/x-www-form-urlencoded" {
		b, _ := json.Marshal(example)
		return string(b)
	}
	form := url.Values{}
	for name, value := range members {
		form.Set(name, fmt.Sprint(value))
	}
	return form.Encode()
}

func firstRequest(t *testing.T, spec *openapi3.T, op operation) *http.Request {
	t.Helper()
	all := requests(t, spec, op)
	return all[slices.Sorted(maps.Keys(all))[0]]()
}

// takes reports whether an operation names a security scheme.
func takes(op operation, scheme string) bool {
	return op.Security != nil && slices.ContainsFunc(*op.Security, func(r openapi3.SecurityRequirement) bool { _, ok := r[scheme]; return ok })
}

// request returns a request with the examples of an operation's parameters, and with every credential of the document.
func request(t *testing.T, spec *openapi3.T, op operation, body string) *http.Request {
	t.Helper()
	path, query := op.path, url.Values{}
	r := httptest.NewRequest(op.method, "/", strings.NewReader(body))
	for _, ref := range op.Parameters {
		p := ref.Value
		value := p.Example
		if value == nil {
			value = p.Schema.Value.Const
		}
		if value == nil {
			t.Errorf("%s: the parameter %s has no example", op.OperationID, p.Name)
		}
		switch text := fmt.Sprint(value); p.In {
		case openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+p.Name+"}", text)
		case openapi3.ParameterInQuery:
			query.Set(p.Name, text)
		case openapi3.ParameterInHeader:
			r.Header.Set(p.Name, text)
		}
	}
	r.URL.Path, r.URL.RawQuery = path, query.Encode()
	for name, ref := range spec.Components.SecuritySchemes {
		switch s := ref.Value; {
		case s.Type == "http":
			if r.Header.Get("Authorization") == "" || takes(op, name) {
				r.Header.Set("Authorization", s.Scheme+" x")
			}
		case s.In == openapi3.ParameterInCookie:
			r.AddCookie(&http.Cookie{Name: s.Name, Value: "x"})
		default:
			r.Header.Set(s.Name, "x")
		}
	}
	return r
}
