package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// Chart is columns over time, drawn by the server as SVG with a table of the same numbers, for
// {{template "chart"}}. The values of a column are stacked, with the first series at the bottom.
type Chart struct {
	ID, Title string
	Columns   []string // labels, one per column
	Series    []Series // at most four
}

// Series is one kind of value, with one value for each column of the chart.
type Series struct {
	Name   string
	Values []int
}

const chartLabels = 7 // maximum number of labeled columns

// Drawing returns the chart as SVG. Its distances are percentages, so that it fits every width with labels of the same
// size. CSS sets its height and the space for labels.
func (c Chart) Drawing() template.HTML {
	top := niceTop(c.highest())
	var b strings.Builder
	fmt.Fprintf(&b, `<svg role="img" aria-label="%s">`, template.HTMLEscapeString(c.Title))
	for _, n := range []int{0, top / 2, top} {
		y := 100 - 100*float64(n)/float64(top)
		fmt.Fprintf(&b, `<line class="axis" x2="100%%" y1="%.2f%%" y2="%.2f%%"/><text x="-8" y="%.2f%%" dy="4" text-anchor="end">%s</text>`, y, y, y, short(n))
	}
	if len(c.Columns) > 0 {
		c.drawColumns(&b, 100/float64(top))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // numbers, and text that is escaped
}

func (c Chart) drawColumns(b *strings.Builder, scale float64) {
	pitch := 100 / float64(len(c.Columns))
	every := (len(c.Columns) + chartLabels - 1) / chartLabels
	for i, label := range c.Columns {
		x, y := float64(i)*pitch, 100.0
		fmt.Fprintf(b, `<g class="day"><title>%s</title><rect class="ground" x="%.2f%%" width="%.2f%%" height="100%%"/>`, template.HTMLEscapeString(c.text(i)), x, pitch)
		for s, series := range c.Series {
			if i >= len(series.Values) || series.Values[i] <= 0 {
				continue
			}
			height := float64(series.Values[i]) * scale
			y -= height
			fmt.Fprintf(b, `<rect class="series-%d" x="%.2f%%" y="%.2f%%" width="%.2f%%" height="%.2f%%"/>`, s+1, x+pitch*.15, y, pitch*.7, height)
		}
		b.WriteString(`</g>`)
		if i%every == 0 {
			fmt.Fprintf(b, `<text x="%.2f%%" y="100%%" dy="17" text-anchor="middle">%s</text>`, x+pitch/2, template.HTMLEscapeString(label))
		}
	}
}

// text returns the numbers of a column in one line.
func (c Chart) text(column int) string {
	var values []string
	for s, n := range c.Rows()[column].Values {
		values = append(values, fmt.Sprintf("%s %d", c.Series[s].Name, n))
	}
	return c.Columns[column] + " – " + strings.Join(values, ", ")
}

// highest returns the sum of the highest column.
func (c Chart) highest() int {
	highest := 0
	for i := range c.Columns {
		sum := 0
		for _, s := range c.Series {
			if i < len(s.Values) {
				sum += max(0, s.Values[i])
			}
		}
		highest = max(highest, sum)
	}
	return highest
}

// Row is a line of the chart's table.
type Row struct {
	Label  string
	Values []int
}

// Rows returns the numbers of the chart.
func (c Chart) Rows() []Row {
	rows := make([]Row, len(c.Columns))
	for i, label := range c.Columns {
		rows[i] = Row{Label: label, Values: make([]int, len(c.Series))}
		for s, series := range c.Series {
			if i < len(series.Values) {
				rows[i].Values[s] = series.Values[i]
			}
		}
	}
	return rows
}

// niceTop returns the even round number at or above n for the end of the axis.
func niceTop(n int) int {
	for step := 1; step < 1_000_000_000; step *= 10 {
		for _, m := range []int{2, 4, 6, 8, 10} {
			if m*step >= n {
				return m * step
			}
		}
	}
	return n
}

// short formats 12000 as 12k.
func short(n int) string {
	switch {
	case n >= 1_000_000 && n%100_000 == 0:
		return strconv.FormatFloat(float64(n)/1_000_000, 'f', -1, 64) + "M"
	case n >= 1000 && n%100 == 0:
		return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) + "k"
	}
	return strconv.Itoa(n)
}
