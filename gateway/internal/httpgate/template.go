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

// part is literal text, or the name of a placeholder.
type part struct {
	literal string
	name    string
}

// Scope is what placeholders stand for in one message. An absent one is "".
type Scope map[string]string

var (
	namePattern        = regexp.MustCompile(`\A[a-z][a-z0-9_]{0,31}\z`)
	placeholderPattern = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
)

// builtins are the placeholders that every template of the kind may use.
func (k Kind) builtins() []string {
	return slices.Concat([]string{"ref"}, k.Placeholders, []string{"callback_url", "callback_token"})
}

// errPlaceholder is an unknown placeholder.
var errPlaceholder = errors.New("there is no such placeholder")

// compile reads a template. Its names must be known; where is its place in the settings, for the error.
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

// expand writes the template out; what placeholders stand for is escaped for the place where it goes.
func (t template) expand(s Scope, escape func(string) string) string {
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

// absent reports whether a placeholder of the template stands for nothing: the entry is then left out.
func (t template) absent(s Scope) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.name != "" && s[p.name] == "" })
}

func (t template) uses(names ...string) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.name != "" && slices.Contains(names, p.name) })
}

func plain(s string) string { return s }

// printable is a name as it may stand in an error: short, and without control characters.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 40)]
}

// HasControl reports whether a text has what no line of text may hold.
func HasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

var errControl = errors.New("control characters in a header")
