package webtest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/book"
	"example.com/griot/web/reference"
)

// A Sample is a page with data for it.
type Sample struct {
	Name, Page string
	Data       any
}

// sampleDocument returns a document that has s in every place for a text.
func sampleDocument(s string) *reference.Document {
	const text = `
info: {title: %[1]s, summary: %[1]s, description: %[2]s}
tags: [{name: %[1]s, description: %[2]s}]
components:
  securitySchemes: {key: {type: http, scheme: bearer, description: %[2]s}, other: {in: cookie, name: %[1]s}}
  schemas: {Thing: {type: object, description: %[2]s, required: [a], properties: {a: {type: string, description: %[2]s, enum: [%[1]s], pattern: %[1]s, default: %[1]s, example: %[1]s}}}}
paths:
  /things/{id}:
    post:
      operationId: makeThing
      tags: [%[1]s]
      summary: %[1]s
      description: %[2]s
      security: [{key: []}, {other: []}]
      parameters: [{name: id, in: path, required: true, description: %[2]s, schema: {type: string}, example: %[1]s}, {name: %[1]s, in: query, schema: {enum: [%[1]s]}, example: %[1]s}]
      requestBody: {content: {application/json: {schema: {oneOf: [{$ref: '#/components/schemas/Thing'}, {type: string, description: %[2]s}]}, examples: {%[1]s: {value: {%[1]s: %[1]s}}}}}}
      responses: {'200': {description: %[2]s, headers: {%[1]s: {description: %[2]s, schema: {type: string}}}, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}, example: {a: %[1]s}}}}, '400': {description: %[2]s}}
`
	// A JSON string is also a YAML string. Descriptions are Markdown without HTML, so the text is code there.
	quoted := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	d, err := reference.Parse([]byte(fmt.Sprintf(text, quoted(s), quoted("`"+s+"`"))))
	if err != nil {
		panic(err)
	}
	return d
}

// NewPages parses the templates.
func NewPages(t testing.TB) *web.Pages {
	t.Helper()
	pages, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// Samples fills every page with s in each field for a text, and with address in each field for an address.
func Samples(name, s, address string) []Sample {
	client := web.DemoClient{Name: s, ClientID: s, Type: s, Mode: s, StartURL: address}
	other := client
	other.Name += " 2"
	list := []Sample{
		{"waiting", web.PageWaiting, web.Waiting{PhonesURL: address}},
		{"waiting without phones", web.PageWaiting, web.Waiting{}},
		{"waiting with a login", web.PageWaiting, web.Waiting{LoginKeyID: s}},
		{"waiting with words", web.PageWaiting, web.Waiting{LoginKeyID: s, Login: &web.WaitingLogin{Tenant: s, Host: s, Accent: "teal", Words: []string{s, s, s}, Left: time.Minute, Lifetime: time.Minute}}},
		{"waiting with words, test", web.PageWaiting, web.Waiting{LoginKeyID: s, Login: &web.WaitingLogin{Tenant: s, Words: []string{s, s, s}, Test: true, Left: time.Second, Lifetime: time.Minute}}},
		{"plain, live", web.PagePlain, web.Plain{View: web.PlainOpen, LoginKeyID: s, Tenant: s, Host: s, Words: s, SecondsRemaining: 60, Receiver: s}},
		{"plain, no receiver", web.PagePlain, web.Plain{View: web.PlainOpen, LoginKeyID: s, Tenant: s, Words: s, SecondsRemaining: 60}},
		{"plain, test", web.PagePlain, web.Plain{View: web.PlainOpen, LoginKeyID: s, Tenant: s, Words: s, Test: true, Numbers: []string{s, s}}},
		{"plain, verified", web.PagePlain, web.Plain{View: web.PlainVerified, LoginKeyID: s, Tenant: s, Phone: s}},
		{"plain, consumed", web.PagePlain, web.Plain{View: web.PlainConsumed, LoginKeyID: s, Tenant: s, Phone: s}},
		{"plain, expired", web.PagePlain, web.Plain{View: web.PlainExpired, LoginKeyID: s, Tenant: s, Back: "com.example.app:/back?error=access_denied"}},
		{"plain, second phone", web.PagePlain, web.Plain{View: web.PlainExpired, EndedBy: "second_phone", LoginKeyID: s, Tenant: s, Back: "https://app.example/?error=access_denied"}},
		{"plain, taken back", web.PagePlain, web.Plain{View: web.PlainExpired, EndedBy: "person", LoginKeyID: s, Tenant: s}},
		{"plain, other person", web.PagePlain, web.Plain{View: web.PlainExpired, EndedBy: "other_person", LoginKeyID: s, Tenant: s, Back: "https://app.example/?error=login_required"}},
		{"signed out", web.PageSignedOut, nil},
		{"return", web.PageReturn, &web.Return{Action: "https://app.example/callback", Host: s, Origin: "https://app.example", Fields: []web.ReturnField{{Name: "error", Value: s}}, Wrong: s}},
		{"plain, wrong codes", web.PagePlain, web.Plain{View: web.PlainExpired, EndedBy: "wrong_codes", LoginKeyID: s, Tenant: s}},
		{"plain, no client", web.PagePlain, web.Plain{View: web.PlainExpired, EndedBy: "client", LoginKeyID: s, Tenant: s}},
		{"terms", web.PageTerms, web.LegalText{Service: apierror.Auth}},
		{"terms of messaging", web.PageTerms, web.LegalText{Service: apierror.Messaging, Operator: web.Operator{Name: s, Contact: s}}},
		{"terms of an operator", web.PageTerms, web.LegalText{Operator: web.Operator{Name: s, Contact: address}, Paragraphs: []string{s, s}}},
		{"privacy", web.PagePrivacy, web.LegalText{Service: apierror.Auth, Operator: web.Operator{Name: s}}},
		{"privacy of messaging", web.PagePrivacy, web.LegalText{Service: apierror.Messaging}},
		{"privacy of an operator", web.PagePrivacy, web.LegalText{Paragraphs: []string{s}}},
		{"phones", web.PagePhones, nil},
		{"errors", web.PageErrors, web.ErrorCatalogue(apierror.Messaging, i18n.EN)},
		{"reference", web.PageReference, web.NewReferenceIndex(sampleDocument(s), "")},
		{"reference of nothing", web.PageReference, web.NewReferenceIndex(sampleDocument(s), "nothing of the kind")},
		{"operation", web.PageOperation, web.ReferenceOperation{Document: sampleDocument(s), Operation: sampleDocument(s).Groups[0].Operations[0], Curl: s}},
		{"object", web.PageObject, web.ReferenceObject{Document: sampleDocument(s), Object: sampleDocument(s).Objects[0]}},
		{"contents", web.PageBookContents, web.BookContents{Contents: sampleContents(s), Query: ""}},
		{"contents found", web.PageBookContents, web.BookContents{Contents: sampleContents(s), Query: s, Results: []book.Result{{Page: s, Href: "/docs/a"}, {Page: s, Section: s, Href: "/docs/a#b", Before: s, Match: s, After: s}}}},
		{"contents of nothing", web.PageBookContents, web.BookContents{Contents: sampleContents(s), Query: s}},
		{"book", web.PageBook, web.BookPage{Contents: sampleContents(s), Page: &book.Page{Title: s, Href: "/docs/a", Headings: []book.Heading{{Text: s, Anchor: "a"}, {Text: s, Anchor: "b"}, {Text: s, Anchor: "c"}}, Body: `<h1 id="x">Title</h1><h2 id="a">A</h2><h2 id="b">B</h2><h2 id="c">C</h2>`}, Previous: book.Entry{Title: s, Href: "/docs/b"}, Next: book.Entry{Title: s, Href: "/docs/c"}}},
		{"errors of text", web.PageErrors, web.Catalogue{Sections: []web.Section{{Title: s, Body: s, Kinds: []web.Kind{{Status: 400, Code: s, OAuth: s, Text: s, Fix: s}}}}}},
		{"demo", web.PageDemo, web.Demo{Clients: []web.DemoClient{client, other}}},
		{"demo without clients", web.PageDemo, web.Demo{}},
		{"demo done", web.PageDemoDone, web.DemoDone{
			Client: client, Checks: []web.DemoCheck{{What: s}, {What: s, Value: s}},
			Claims: []web.DemoFact{{Name: s, Value: s, Note: s}}, IDToken: []web.DemoFact{{Name: s, Value: s}}, Profile: []web.DemoFact{{Name: s, Value: s}}, StartURL: address,
		}},
		{"demo error", web.PageDemoError, web.DemoError{Reason: s, Code: s, Detail: s, StartURL: address}},
		{"demo stray", web.PageDemoError, web.DemoError{Stray: true, Reason: s, StartURL: address}},
	}
	for _, status := range []int{400, 404, 429, 500, 503} {
		list = append(list, Sample{"error", web.PageError, web.Failure{Status: status, OAuth: s, Code: s, Description: s, RequestID: s, DocsURL: address}})
	}
	list = append(list, Sample{"error with a way back", web.PageError, web.Failure{Status: 400, OAuth: s, Code: s, Description: s, RequestID: s, DocsURL: address, BackURL: "https://app.example/?error=invalid_request", BackHost: s}})
	list = append(list, Sample{"error of a code", web.PageError, web.Failure{Status: 404, Code: s, Description: s, RequestID: s, DocsURL: address, ShortCode: true}})
	for i := range list {
		list[i].Name += ", " + name
	}
	return list
}

func sampleContents(s string) *book.Contents {
	return &book.Contents{Title: s, About: s, Parts: []book.Part{{Title: s, Anchor: "part", About: s, Entries: []book.Entry{{Title: s, Href: "/docs/a", About: s}, {Title: s, Href: "/docs/b"}}}}}
}
