package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in the configuration. It never has a value in it, which may be a secret.
type Problem struct {
	Setting  string `json:"setting,omitempty"`  // such as auth.url or gateways[0].name
	Variable string `json:"variable,omitempty"` // which gave the setting, where one did
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"` // of the file; 0: the file as a whole, or what it lacks
	Text     string `json:"text"`           // what is wrong
	Hint     string `json:"hint,omitempty"` // how to correct it
}

// String is the mistake in one line.
func (p Problem) String() string {
	var b strings.Builder
	switch {
	case p.Variable != "":
		b.WriteString(p.Variable + ": ")
	case p.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", p.File, p.Line)
	case p.File != "":
		b.WriteString(p.File + ": ")
	}
	if p.Setting != "" {
		b.WriteString(p.Setting + ": ")
	}
	b.WriteString(p.Text)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// CheckError is all mistakes of a configuration, in the order of its lines.
type CheckError []Problem

// Error has a line for each mistake, and one above where there are several.
func (p CheckError) Error() string {
	if len(p) == 1 {
		return "configuration: " + p[0].String()
	}
	lines := []string{fmt.Sprintf("the configuration has %d mistakes:", len(p))}
	for _, problem := range p {
		lines = append(lines, "  "+problem.String())
	}
	return strings.Join(lines, "\n")
}

// Err returns the mistakes as an error, nil where there are none.
func (p CheckError) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return p
}

// add notes a mistake; where it is, [Config.Locate] says later. What follows from a mistake in the whole that the setting is a
// part of is left out.
func (p *CheckError) add(setting, text, hint string) {
	for at := parent(setting); at != ""; at = parent(at) {
		if p.about(at) {
			return
		}
	}
	*p = append(*p, Problem{Setting: setting, Text: text, Hint: hint})
}

// about reports whether a mistake about a setting was found already: what follows from it need not be said.
func (p *CheckError) about(settings ...string) bool {
	return slices.ContainsFunc(*p, func(known Problem) bool { return slices.Contains(settings, known.Setting) })
}

// source is where settings came from.
type source struct {
	file      string            // empty: none was read
	lines     map[string]int    // of settings in the file
	variables map[string]string // that gave settings
}

// fileHint is the part of a hint that is left out where the value is in a file already.
const fileHint = "best in a file: "

// Locate adds to a mistake where its setting comes from. A value that a file of its own holds comes from the setting that names the file.
func (c *Config) Locate(p Problem) Problem {
	if p.Variable != "" || p.Line > 0 {
		return p
	}
	if c.hasFile(p.Setting) {
		p.Setting += fileSuffix
		hint, _, _ := strings.Cut(p.Hint, fileHint)
		p.Hint = strings.TrimSuffix(hint, ", ")
	}
	for at := p.Setting; at != ""; at = parent(at) { // a variable goes before the file
		if v, ok := c.source.variables[at]; ok {
			p.Variable = v
			return p
		}
	}
	p.File = c.source.file
	for at := p.Setting; at != "" && p.Line == 0; at = parent(at) {
		p.Line = c.source.lines[at]
	}
	return p
}

// File is the file that was read; empty: there was none.
func (c *Config) File() string { return c.source.file }

// Has reports whether the file has a setting.
func (c *Config) Has(setting string) bool { return c.source.lines[setting] > 0 }

// parent returns the setting that a setting is a member of.
func parent(setting string) string {
	return setting[:max(0, strings.LastIndexAny(setting, ".["))]
}

// Nearest returns the name that a misspelled one probably means, or "".
func Nearest(wrote string, names []string) string {
	const longest, tolerated = 64, 3
	best, bestDistance := "", min(tolerated, len(wrote)/2+1)
	if len(wrote) > longest {
		return ""
	}
	for _, name := range names {
		if d := distance(strings.ToLower(wrote), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance is how many letters must be added, removed, or replaced.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
