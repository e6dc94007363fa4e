package batch

import (
	"errors"
	"fmt"
	"strings"
)

// Template is a text with placeholders for a row's columns: {{name}}, or {{name|text}} with a text for rows without a
// value.
type Template struct{ parts []part }

// part is a text or a placeholder.
type part struct {
	text     string
	column   string // empty: a text
	fallback string
	optional bool // there is a fallback, which can be empty
}

// ParseTemplate parses a template.
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
			return nil, errors.New("{{ }} must contain the name of a column, such as {{name}}")
		}
		t.parts = append(t.parts, p)
		s = after
	}
}

// Columns returns the columns of the template's placeholders.
func (t *Template) Columns() (all []string) {
	for _, p := range t.parts {
		if p.column != "" {
			all = append(all, p.column)
		}
	}
	return all
}

// Render fills in a row's values. The name of a column can differ in spaces, apostrophes, and the Unicode form. escape is
// applied to each value; nil: values are unchanged.
func (t *Template) Render(values map[string]string, escape func(string) string) (string, error) {
	return t.render(func(column string) string { return valueOf(values, column) }, escape)
}

// valueOf returns the value of a column, or "" if there is no such column.
func valueOf(values map[string]string, column string) string {
	name, _ := resolve(values, column)
	return values[name]
}

func (t *Template) render(get func(column string) string, escape func(string) string) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		value := ""
		if p.column != "" {
			value = get(p.column)
		}
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
