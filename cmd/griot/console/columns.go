package console

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Columns aligns the rows that show writes.
func Columns(w io.Writer, show func(io.Writer)) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	show(t)
	return t.Flush()
}

// Row writes cells. An empty one is a dash, so that columns can be counted.
func Row(w io.Writer, cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		s := fmt.Sprint(c)
		if at, ok := c.(time.Time); ok {
			s = at.Format(time.RFC3339)
			if at.IsZero() {
				s = ""
			}
		}
		if s == "" {
			s = "-"
		}
		fmt.Fprint(w, s)
	}
	fmt.Fprintln(w)
}
