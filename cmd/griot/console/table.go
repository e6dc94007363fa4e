package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	minFlexible = 16 // minimum width of the last column next to the others; with less room, it gets its own lines
	minCell     = 8
	indent      = "  "
)

// Table writes rows below a header row. On a terminal, no line is wider than the terminal: cells of the columns in
// Shrink are cut, and the last column, which is a text, is cut or appears below its row. In a pipe, nothing is cut.
type Table struct {
	Head   []string // empty: none
	Shrink []int    // columns whose cells can be cut
	rows   [][]string
}

// Add adds a row. An empty cell is a dash, so that columns can be counted. An empty text at the end is omitted.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Plain(c)
		if row[i] == "" && i < len(cells)-1 {
			row[i] = "-"
		}
	}
	t.rows = append(t.rows, row)
}

// Write writes the table.
func (t *Table) Write(w io.Writer) error {
	all := t.rows
	if len(t.Head) > 0 {
		all = append([][]string{t.Head}, t.rows...)
	}
	if len(all) == 0 {
		return nil
	}
	l := t.layout(all, Width(w))
	colors := Colors(w)
	var b strings.Builder
	for i, row := range all {
		l.write(&b, row, len(t.Head) > 0 && i == 0, colors)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// layout is the width of the columns.
type layout struct {
	widths []int // of all except the last
	gap    string
	last   int  // maximum width of the last column; 0: no limit
	below  bool // it appears below its row
}

func (t *Table) layout(rows [][]string, width int) layout {
	l := layout{widths: make([]int, len(rows[0])-1), gap: "  "}
	last := 0
	for _, row := range rows {
		for i := range l.widths {
			l.widths[i] = max(l.widths[i], utf8.RuneCountInString(row[i]))
		}
		last = max(last, utf8.RuneCountInString(row[len(row)-1]))
	}
	if width == 0 {
		return l
	}
	if l.sum()+min(last, minFlexible) > width {
		l.gap = " "
	}
	for l.sum() > width {
		widest := -1
		for _, i := range t.Shrink {
			if l.widths[i] > minCell && (widest < 0 || l.widths[i] > l.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		l.widths[widest]--
	}
	l.last = width - l.sum()
	if l.below = l.last < min(last, minFlexible); l.below {
		l.last = width - len(indent)
	}
	return l
}

// sum returns the width of all except the last column, including the gap before the last.
func (l layout) sum() (n int) {
	for _, width := range l.widths {
		n += width + len(l.gap)
	}
	return n
}

func (l layout) write(b *strings.Builder, row []string, head, colors bool) {
	var line strings.Builder
	for i, width := range l.widths {
		cell := Cut(row[i], width)
		shown := cell
		if color := wordColors[cell]; colors && color != "" {
			shown = color + cell + plain
		}
		line.WriteString(shown + strings.Repeat(" ", width-utf8.RuneCountInString(cell)) + l.gap)
	}
	text := row[len(row)-1]
	if l.last > 0 {
		text = Cut(text, l.last)
	}
	if !l.below {
		line.WriteString(text)
	}
	s := strings.TrimRight(line.String(), " ")
	if head && colors {
		s = dim + s + plain
	}
	fmt.Fprintln(b, s)
	if l.below && text != "" && !head {
		fmt.Fprintln(b, indent+text)
	}
}

// Cut returns the start of a text that is longer than width characters, with a mark.
func Cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:max(width-1, 0)]) + "…"
}
