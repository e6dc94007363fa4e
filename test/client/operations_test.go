package client_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	griot "example.com/griot/client"
	"example.com/griot/openapi"
)

// loadMessaging returns the messaging API's OpenAPI.
func loadMessaging(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Messaging())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// takesKey reports whether an API key opens an operation.
func takesKey(o *openapi3.Operation) bool {
	return o.Security != nil && slices.ContainsFunc(*o.Security, func(s openapi3.SecurityRequirement) bool { _, ok := s["bearer"]; return ok })
}

var pathParameter = regexp.MustCompile(`\\\{[^}]*\\\}`)

// The client has each operation of the OpenAPI that takes a key, sends every parameter of it, and keeps every member of
// the answer that the OpenAPI shows.
func TestOperations_AreTheDocuments(t *testing.T) {
	doc := loadMessaging(t)
	found := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			call, ok := operations[o.OperationID]
			if _, isAbsent := absent[o.OperationID]; isAbsent == ok && takesKey(o) {
				t.Errorf("%s takes a key: it is in the client %v, and on the list of what is not %v; want one of the two", o.OperationID, ok, isAbsent)
			}
			if found[o.OperationID] = true; !ok {
				continue
			}
			got, result := called(t, o, call)
			want := regexp.MustCompile("^" + method + " " + pathParameter.ReplaceAllString(regexp.QuoteMeta(path), "id") + "$")
			if !want.MatchString(got.Method + " " + got.URL.Path) {
				t.Errorf("%s: got the request %s %s, want %s", o.OperationID, got.Method, got.URL.Path, want)
			}
			if missing := missingParameters(o, got.URL.Query()); len(missing) > 0 {
				t.Errorf("%s: the parameters %q were not sent", o.OperationID, missing)
			}
			lost := lostMembers(t, o, result)
			if slices.Contains(o.Tags, "Inbox") { // it stands for the account, for who has several keys
				lost = slices.DeleteFunc(lost, func(name string) bool { return name == ".account" })
			}
			if len(lost) > 0 {
				t.Errorf("%s: the answer's members %q are not in %T", o.OperationID, lost, result)
			}
		}
	}
	for id := range operations {
		if !found[id] {
			t.Errorf("the client has %s, which the document does not", id)
		}
	}
	for id := range absent {
		if !found[id] {
			t.Errorf("%s is on the list of what the client has not, and is not in the document", id)
		}
	}
}

// What a request may have beside parameters is in the client's types.
func TestBodies_AreTheDocuments(t *testing.T) {
	doc := loadMessaging(t)
	for id, body := range map[string]any{
		"sendMessage": griot.Message{}, "sendBatch": griot.Batch{}, "sendCode": griot.CodeRequest{}, "verifyCode": griot.Guess{}, "replyToConversation": griot.Reply{},
	} {
		var documented []string
		for _, item := range doc.Paths.Map() {
			for _, o := range item.Operations() {
				if o.OperationID == id {
					documented = propertiesOf(o.RequestBody.Value.Content["application/json"].Schema.Value)
				}
			}
		}
		var has []string
		for field := range reflect.TypeOf(body).Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			has = append(has, name)
		}
		slices.Sort(documented)
		slices.Sort(has)
		if !slices.Equal(slices.Compact(documented), has) {
			t.Errorf("%s: got the members %q in the client, want %q of the document", id, has, documented)
		}
	}
}

// propertiesOf returns the names of an object's members.
func propertiesOf(s *openapi3.Schema) []string {
	var names []string
	for name, property := range s.Properties {
		if !property.Value.Deprecated {
			names = append(names, name)
		}
	}
	for _, parts := range [][]*openapi3.SchemaRef{s.AllOf, s.AnyOf, s.OneOf} {
		for _, part := range parts {
			names = append(names, propertiesOf(part.Value)...)
		}
	}
	return names
}

// called calls an operation once, and answers as the OpenAPI shows.
func called(t *testing.T, o *openapi3.Operation, call operation) (sent *http.Request, result any) {
	t.Helper()
	c, err := griot.New("https://api.example.com", "key", griot.Options{Tries: 1, HTTP: &http.Client{Transport: one(func(r *http.Request) (*http.Response, error) {
		sent = r
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(exampleOf(t, o)))}, nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if o.OperationID == "listenToWebhookEvents" {
		cancel()
	}
	if result, err = call(ctx, c); err != nil {
		t.Errorf("%s: got %v, want no error", o.OperationID, err)
	}
	return sent, result
}

// exampleOf returns the body of an answer as the OpenAPI shows it.
func exampleOf(t *testing.T, o *openapi3.Operation) string {
	t.Helper()
	for _, status := range []int{200, 202, 201} {
		answer := o.Responses.Status(status)
		if answer == nil {
			continue
		}
		content := answer.Value.Content["application/json"]
		if content == nil {
			return ""
		}
		example := content.Example
		if example == nil {
			for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
				if name != "dryRun" {
					example = content.Examples[name].Value.Value
				}
			}
		}
		b, err := json.Marshal(example)
		if err != nil || example == nil {
			t.Errorf("%s has no example: %v", o.OperationID, err)
		}
		return string(b)
	}
	t.Errorf("%s has no answer", o.OperationID)
	return ""
}

func missingParameters(o *openapi3.Operation, sent url.Values) (missing []string) {
	for _, p := range o.Parameters {
		name := p.Value.Name
		if p.Value.In == "query" && !sent.Has(name) && !(name == "metadata" && sent.Has("metadata[a]")) {
			missing = append(missing, name)
		}
	}
	return missing
}

// lostMembers returns the members of the OpenAPI's answer that a result does not have.
func lostMembers(t *testing.T, o *openapi3.Operation, result any) []string {
	t.Helper()
	if v := reflect.ValueOf(result); !v.IsValid() || v.IsNil() {
		return nil
	}
	b, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if json.Unmarshal([]byte(exampleOf(t, o)), &want) != nil || json.Unmarshal(b, &got) != nil {
		t.Fatalf("%s: no JSON", o.OperationID)
	}
	return lost("", want, got)
}

// unread are members that say nothing to who has the result.
var unread = []string{".success", ".results[].error"}

func lost(at string, want, got any) (names []string) {
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for name, value := range want {
			if slices.Contains(unread, at+"."+name) {
				continue
			}
			if _, ok := got[name]; !ok {
				names = append(names, at+"."+name)
				continue
			}
			names = append(names, lost(at+"."+name, value, got[name])...)
		}
	case []any:
		got, _ := got.([]any)
		for i, value := range want {
			if i < len(got) {
				names = append(names, lost(at+"[]", value, got[i])...)
			}
		}
	}
	return names
}
