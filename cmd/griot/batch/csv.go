package batch

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// separator returns the separator of a CSV file's cells. named reports whether the first line names it ("sep=;", for
// spreadsheets). Otherwise it is the most frequent one in the header row: a comma, a semicolon (which spreadsheets use
// in many languages), a tab, or a vertical bar. It consumes nothing.
func separator(in *bufio.Reader) (comma rune, named bool, err error) {
	line, err := in.Peek(in.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, false, err
	}
	if name := namesSeparator.FindSubmatch(line); name != nil {
		return rune(name[1][0]), true, nil
	}
	line, _, _ = bytes.Cut(bytes.TrimLeft(line, "\r\n"), []byte("\n"))
	best, most := ',', 0
	for _, comma := range []rune{',', ';', '\t', '|'} {
		if n := bytes.Count(line, []byte(string(comma))); n > most {
			best, most = comma, n
		}
	}
	return best, false, nil
}

var namesSeparator = regexp.MustCompile(`^(?i:"?sep=([,;\t|])"?)\r?\n`)

// csvRows reads the names of the columns, and returns a function that reads the next row.
func (s *Source) csvRows(in *opened) (next func() (Row, error), err error) {
	before := 0 // lines before the header row
	if s.named {
		if _, err := in.ReadString('\n'); err != nil {
			return nil, err
		}
		before = 1
	}
	r := csv.NewReader(in.Reader)
	r.Comma, r.FieldsPerRecord = s.comma, -1
	s.before = nil
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: its first line must name the columns")
	}
	if err != nil {
		return nil, csvProblem(err)
	}
	for i, name := range head {
		s.before = append(s.before, strings.TrimSpace(name))
		head[i] = norm.NFC.String(s.before[i])
		switch {
		case s.badText(name) != "":
			return nil, errors.New("the names of the columns are " + s.badText(name))
		case head[i] != "" && slices.Contains(head[:i], head[i]):
			return nil, fmt.Errorf("two columns have the name %q", head[i])
		}
	}
	s.Columns = slices.Clone(head)
	r.ReuseRecord = true
	return func() (Row, error) {
		for {
			cells, err := r.Read()
			if err != nil {
				if p, ok := errors.AsType[*csv.ParseError](err); ok {
					return Row{}, &RowError{Row{Line: p.StartLine + before}, csvProblem(p.Err).Error()}
				}
				return Row{}, err
			}
			if line, _ := r.FieldPos(0); slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
				return s.row(line+before, cells)
			} // spreadsheets write lines with only separators at the end
		}
	}, nil
}

// row assigns the cells of a line to their columns.
func (s *Source) row(line int, cells []string) (Row, error) {
	values := make(map[string]string, len(cells))
	for i, c := range cells {
		if i < len(s.before) {
			values[s.before[i]] = strings.TrimSpace(c)
		}
	}
	row := Row{Line: line}
	row.Values, row.earlier = compose(values)
	switch {
	case len(cells) != len(s.Columns):
		return row, &RowError{row, fmt.Sprintf("it has %d cells, but the first line names %d columns", len(cells), len(s.Columns))}
	case slices.ContainsFunc(cells, func(c string) bool { return s.badText(c) != "" }):
		return row, &RowError{row, "it is " + s.badText(strings.Join(cells, ""))}
	}
	return row, nil
}

// csvProblem describes the problem with a line, in clearer words than encoding/csv.
func csvProblem(err error) error {
	switch {
	case errors.Is(err, csv.ErrQuote):
		return errors.New(`a quote is not closed or is followed by text: write "" for a quote in a quoted cell`)
	case errors.Is(err, csv.ErrBareQuote):
		return errors.New(`an unquoted cell contains a quote: put the cell in quotes, and write "" for each quote in it`)
	}
	return err
}
