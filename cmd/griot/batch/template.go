package batch

import (
	"errors"
	"fmt"
	"strings"
)

// Template is a text with places for a row's columns: {{name}}, or {{name|text}} with a text for rows that have none.
type Template struct{ parts []part }

// part is a text, or a place.
type part struct {
	text     string
	column   string // empty: it is a text
	fallback string
	optional bool // there is a fallback, which may be empty
}

// ParseTemplate reads a template.
func ParseTemplate(s string) (*Template, error) {
	t := &Template{}
	for {
		text, rest, found := strings.Cut(s, "{{")
		if text != "" {
			t.parts = append(t.parts, part{text: text})
		}
		if !found {
			return t, nil
		}
		place, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, errors.New("a {{ is not closed by }}")
		}
		p := part{}
		p.column, p.fallback, p.optional = strings.Cut(place, "|")
		if p.column = strings.TrimSpace(p.column); p.column == "" || strings.ContainsAny(p.column, "{}") {
			return nil, errors.New("between {{ and }} stands the name of a column, such as {{name}}")
		}
		t.parts = append(t.parts, p)
		s = after
	}
}

// Columns returns the columns that the template has places for.
func (t *Template) Columns() (all []string) {
	for _, p := range t.parts {
		if p.column != "" {
			all = append(all, p.column)
		}
	}
	return all
}

// Render fills in a row's values, each as escape returns it; nil: as it is.
func (t *Template) Render(values map[string]string, escape func(string) string) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		value := values[p.column]
		switch {
		case p.column == "":
			b.WriteString(p.text)
			continue
		case value == "" && !p.optional:
			return "", fmt.Errorf("%q is empty: fill it in, or write {{%s|something else}} in the message", p.column, p.column)
		case value == "":
			value = p.fallback
		}
		if escape != nil {
			value = escape(value)
		}
		b.WriteString(value)
	}
	return b.String(), nil
}
