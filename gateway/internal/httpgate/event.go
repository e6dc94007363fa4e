package httpgate

import (
	"bytes"
	"encoding/json"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/internal/httpx"
)

// Event is one event in a webhook request. Its fields are in the document, the form, or the query.
type Event struct {
	query    url.Values
	form     url.Values
	document any
}

// events are the events of one request. The events of a list are parsed one by one.
type events struct {
	each iter.Seq[Event]
	many bool
}

// parseEvents parses a body by its content type; ok is false if it isn't of that type.
func parseEvents(r *http.Request, body []byte, list string) (all events, ok bool) {
	query, _ := httpx.ParseQuery(r.URL.RawQuery) // malformed parts are ignored
	e := Event{query: query}
	one := func(yield func(Event) bool) { yield(e) }
	if len(body) == 0 {
		return events{each: one}, true
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == "application/x-www-form-urlencoded" {
		e.form, err = httpx.ParseQuery(string(body))
		return events{each: one}, err == nil
	}
	if kind == "multipart/form-data" { // no gateway needs it, and parsers handle it differently
		return events{}, false
	}
	if list != "" {
		if elements, isList := elementsOf(body, list); isList {
			return events{many: true, each: func(yield func(Event) bool) {
				for document := range elements {
					if !yield(Event{query: e.query, document: document}) {
						return
					}
				}
			}}, true
		}
	}
	e.document, err = decode(body)
	return events{each: one}, err == nil
}

// elementsOf returns the elements of the list at a path of a document; ok is false if there is no list.
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

// Field returns a field from the first of its places in the settings that is not empty.
func (e Event) Field(h *WebhookSettings, name string) string {
	for place := range strings.FieldsSeq(h.Fields[name]) {
		if text := e.at(place); text != "" {
			return text
		}
	}
	return ""
}

// joined returns a field as the texts of all its places, with spaces between them.
func (e Event) joined(h *WebhookSettings, name string) string {
	var words []string
	for place := range strings.FieldsSeq(h.Fields[name]) {
		if text := strings.TrimSpace(e.at(place)); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

func (e Event) at(where string) string {
	if name, ok := strings.CutPrefix(where, "?"); ok {
		return e.query.Get(name)
	}
	if text, ok := textAt(e.document, where); ok {
		return text
	}
	if e.form.Has(where) {
		return e.form.Get(where)
	}
	return e.query.Get(where)
}

// fits reports whether the event can have the values that the webhook's settings require: surely if it has them, and
// not surely if one is missing.
func (e Event) fits(h *WebhookSettings) (fits, surely bool) {
	surely = true
	for where, value := range h.When {
		switch is := strings.TrimSpace(e.at(where)); is {
		case value:
		case "":
			surely = false
		default:
			return false, false
		}
	}
	return true, surely
}
