package httpgate

import (
	"bytes"
	"encoding/json"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// Event is what the gateway tells.
type Event struct {
	query    url.Values
	form     url.Values
	document any
}

// calls are what one request brings. Where there are many, one after the other is built.
type calls struct {
	each iter.Seq[Event]
	many bool
}

// newCalls reads a body by its content type; ok is false if it isn't of that type.
func newCalls(r *http.Request, body []byte, list string) (all calls, ok bool) {
	c := Event{query: r.URL.Query()}
	one := func(yield func(Event) bool) { yield(c) }
	if len(body) == 0 {
		return calls{each: one}, true
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == "application/x-www-form-urlencoded" {
		c.form, err = url.ParseQuery(string(body))
		return calls{each: one}, err == nil
	}
	if kind == "multipart/form-data" { // nobody needs it, and it has many ways to be read
		return calls{}, false
	}
	if list != "" {
		if elements, isList := elementsOf(body, list); isList {
			return calls{many: true, each: func(yield func(Event) bool) {
				for document := range elements {
					if !yield(Event{query: c.query, document: document}) {
						return
					}
				}
			}}, true
		}
	}
	c.document, err = decode(body)
	return calls{each: one}, err == nil
}

// elementsOf returns the elements of the list at a path of a document; ok is false if no list is there.
func elementsOf(body []byte, path string) (elements iter.Seq[any], ok bool) {
	if !json.Valid(body) {
		return nil, false
	}
	list := json.RawMessage(body)
	if path != "." {
		for name := range strings.SplitSeq(path, ".") {
			var members map[string]json.RawMessage
			if json.Unmarshal(list, &members) != nil {
				return nil, false
			}
			list = members[name]
		}
	}
	d := json.NewDecoder(bytes.NewReader(list))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, false
	}
	return func(yield func(any) bool) {
		for d.More() {
			var element any
			if d.Decode(&element) != nil || !yield(element) {
				return
			}
		}
	}, true
}

// Field returns what stands where the settings say: at the first of the places that holds something.
func (c Event) Field(h *WebhookSettings, name string) string {
	for place := range strings.FieldsSeq(h.Fields[name]) {
		if text := c.at(place); text != "" {
			return text
		}
	}
	return ""
}

// joined returns what stands at all of the places, with a space between.
func (c Event) joined(h *WebhookSettings, name string) string {
	var words []string
	for place := range strings.FieldsSeq(h.Fields[name]) {
		if text := strings.TrimSpace(c.at(place)); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

func (c Event) at(where string) string {
	if name, ok := strings.CutPrefix(where, "?"); ok {
		return c.query.Get(name)
	}
	if text, ok := at(c.document, where); ok {
		return text
	}
	if c.form.Has(where) {
		return c.form.Get(where)
	}
	return c.query.Get(where)
}

func (c Event) fits(h *WebhookSettings) bool {
	for where, value := range h.When {
		if c.at(where) != value {
			return false
		}
	}
	return true
}
