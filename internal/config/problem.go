package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one error in the configuration. It never contains a value, because a value can be a secret.
type Problem struct {
	Setting  string `json:"setting,omitempty"`  // such as auth.url or gateways[0].name
	Variable string `json:"variable,omitempty"` // the variable that set it, if any
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"` // of the file; 0: the file as a whole, or a missing setting
	Text     string `json:"text"`           // the error
	Hint     string `json:"hint,omitempty"` // the fix
}

// String returns the problem in one line.
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

// CheckError holds all problems of a configuration, in the order of the lines.
type CheckError []Problem

// Error returns one line for each problem, and a first line if there are several.
func (p CheckError) Error() string {
	if len(p) == 1 {
		return "configuration: " + p[0].String()
	}
	lines := []string{fmt.Sprintf("the configuration has %d errors:", len(p))}
	for _, problem := range p {
		lines = append(lines, "  "+problem.String())
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error; nil if there are none.
func (p CheckError) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return p
}

// add adds a problem; [Config.Locate] sets its location later. It omits a problem that follows from an earlier one with
// the setting's parent.
func (p *CheckError) add(setting, text, hint string) {
	for at := parent(setting); at != ""; at = parent(at) {
		if p.about(at) {
			return
		}
	}
	*p = append(*p, Problem{Setting: setting, Text: text, Hint: hint})
}

// about reports whether a problem with a setting was found already, so that its consequences need not be reported.
func (p *CheckError) about(settings ...string) bool {
	return slices.ContainsFunc(*p, func(known Problem) bool { return slices.Contains(settings, known.Setting) })
}

// source is the origin of the settings.
type source struct {
	file      string            // empty: no file was read
	lines     map[string]int    // of settings in the file
	variables map[string]string // the variables that set settings
}

// fileHint is the part of a hint that is omitted if the value is already in a file.
const fileHint = "best in a file: "

// Locate adds the origin of its setting to a problem. For a value with its own file, it is the setting that names the
// file.
func (c *Config) Locate(p Problem) Problem {
	if p.Variable != "" || p.Line > 0 {
		return p
	}
	if c.hasFile(p.Setting) {
		p.Setting += fileSuffix
		hint, _, _ := strings.Cut(p.Hint, fileHint)
		p.Hint = strings.TrimSuffix(hint, ", ")
	}
	for at := p.Setting; at != ""; at = parent(at) { // a variable takes precedence over the file
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

// File returns the path of the file that was read; empty if none was read.
func (c *Config) File() string { return c.source.file }

// Has reports whether the file has a setting.
func (c *Config) Has(setting string) bool { return c.source.lines[setting] > 0 }

// parent returns the setting that contains a setting.
func parent(setting string) string {
	return setting[:max(0, strings.LastIndexAny(setting, ".["))]
}

// Nearest returns the name that is most similar to a misspelled one, or "".
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

// distance returns the number of letters to add, remove, or replace.
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
