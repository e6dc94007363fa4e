package batch

import "io"

// lineEnds converts the line ends CR and CR LF to LF, except in quoted cells. Some spreadsheets end lines with CR alone.
type lineEnds struct {
	in    io.Reader
	comma byte // separates cells; 0: there are no cells, and quotes have no meaning
	place place
	wasCR bool // the previous byte was a converted CR
}

// place is the place of a byte in a CSV file.
type place int

const (
	cellStart place = iota
	inCell
	inQuotes
	afterQuote // a quote in quotes: their end, or the first of two
)

func (l *lineEnds) Read(b []byte) (int, error) {
	n, err := l.in.Read(b)
	out := b[:0]
	for _, c := range b[:n] {
		isLF := c == '\n' && l.wasCR
		l.wasCR = false
		if isLF {
			continue // the CR before it has become the LF
		}
		if c == '\r' && l.place != inQuotes {
			c, l.wasCR = '\n', true
		}
		l.next(c)
		out = append(out, c)
	}
	return len(out), err
}

// next moves to the place after a byte.
func (l *lineEnds) next(c byte) {
	switch {
	case l.comma == 0:
	case l.place == inQuotes:
		if c == '"' {
			l.place = afterQuote
		}
	case c == '"' && l.place != inCell:
		l.place = inQuotes
	case c == l.comma || c == '\n':
		l.place = cellStart
	default:
		l.place = inCell
	}
}
