package httpgate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// template is text with placeholders: {{to}}, {{text}}.
type template struct {
	parts []part
}

// part is literal text or the name of a placeholder.
type part struct {
	literal string
	name    string
}

// Values contains the values of the placeholders for one message. An absent one is "".
type Values map[string]string

var (
	namePattern        = regexp.MustCompile(`\A[a-z][a-z0-9_]{0,31}\z`)
	placeholderPattern = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
)

// builtins returns the placeholders that the kind's templates can use.
func (k Kind) builtins() []string {
	return slices.Concat([]string{"ref"}, k.Placeholders, []string{"callback_url", "callback_token"})
}

// errPlaceholder is the error for an unknown placeholder.
var errPlaceholder = errors.New("there is no such placeholder")

// compile compiles a template with known placeholders. where is its place in the settings, for errors.
func compile(where, text string, known func(name string) bool) (template, error) {
	if HasControl(strings.NewReplacer("\n", "", "\t", "").Replace(text)) {
		return template{}, fmt.Errorf("settings: %s has control characters", where)
	}
	var t template
	rest := text
	for {
		at := placeholderPattern.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		name := rest[at[2]:at[3]]
		if !known(name) {
			return template{}, fmt.Errorf("settings: %s: {{%s}}: %w", where, printable(name), errPlaceholder)
		}
		t.parts = append(t.parts, part{literal: rest[:at[0]]}, part{name: name})
		rest = rest[at[1]:]
	}
	if t.parts = append(t.parts, part{literal: rest}); t.hasBraces() {
		return template{}, fmt.Errorf("settings: %s: a placeholder is not closed, or not opened", where)
	}
	return t, nil
}

func (t template) hasBraces() bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return strings.Contains(p.literal, "{{") || strings.Contains(p.literal, "}}") })
}

// expand returns the template's text with the escaped values of its placeholders.
func (t template) expand(s Values, escape func(string) string) string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.name == "" {
			b.WriteString(p.literal)
		} else {
			b.WriteString(escape(s[p.name]))
		}
	}
	return b.String()
}

// absent reports whether a placeholder of the template has no value. In that case, the entry is left out.
func (t template) absent(s Values) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.name != "" && s[p.name] == "" })
}

func (t template) uses(names ...string) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.name != "" && slices.Contains(names, p.name) })
}

func plain(s string) string { return s }

// printable returns a name in a form for errors: short, and in printable ASCII.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 40)]
}

// HasControl reports whether a text contains control characters, including line breaks.
func HasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

var errControl = errors.New("control characters in a header")
