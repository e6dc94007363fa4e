package db

import "strings"

// Step is one line of a status table: a conditional UPDATE moves a row from one of
// From to To. The statuses are constants of the program, never input.
type Step[S ~string] struct {
	From []S
	To   S
}

// Becomes returns the SQL expression of the new status for SET.
func (s Step[S]) Becomes() string { return "status = '" + string(s.To) + "'" }

// Allows returns the SQL condition for the step, for WHERE.
func (s Step[S]) Allows() string {
	var b strings.Builder
	b.WriteString("status IN (")
	for i, from := range s.From {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + string(from) + "'")
	}
	b.WriteString(")")
	return b.String()
}
