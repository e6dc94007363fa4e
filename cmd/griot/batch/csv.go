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
	best, most, quoted := ',', 0, false
	counts := map[byte]int{}
header:
	for _, c := range bytes.TrimLeft(line, "\r\n") {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\r', c == '\n':
			break header
		default:
			counts[c]++
		}
	}
	for _, comma := range []rune{',', ';', '\t', '|'} {
		if n := counts[byte(comma)]; n > most {
			best, most = comma, n
		}
	}
	return best, false, nil
}

var namesSeparator = regexp.MustCompile(`^(?i:"?sep=([,;\t|])"?)[\r\n]`)

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
	head, err := r.Read()
	for err == nil && !slices.ContainsFunc(head, isText) { // spreadsheets write empty rows as separators
		head, err = r.Read()
	}
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: its first line must name the columns")
	}
	if err != nil {
		return nil, csvProblem(err)
	}
	if err := s.name(head); err != nil {
		return nil, err
	}
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
			if line, _ := r.FieldPos(0); slices.ContainsFunc(cells, isText) {
				return s.row(line+before, cells)
			} // an empty row
		}
	}, nil
}

// isText reports whether a cell isn't empty.
func isText(cell string) bool { return !isBlank(cell) }

// name sets the names of the columns. Columns without a name at the end are not counted.
func (s *Source) name(head []string) error {
	s.Columns, s.before, s.width = nil, nil, len(head)
	named := len(head)
	for named > 0 && isBlank(head[named-1]) {
		named--
	}
	for _, cell := range head[:named] {
		name := columnName(unmarked(cell))
		switch {
		case strings.ContainsRune(cell, 0):
			return errors.New("this is not a text file: " + saveAsCSV)
		case s.badText(cell) != "":
			return errors.New("the names of the columns are " + s.badText(cell))
		case name != "" && slices.Contains(s.Columns, name):
			return fmt.Errorf("two columns have the name %q", name)
		}
		s.Columns, s.before = append(s.Columns, name), append(s.before, strings.TrimSpace(cell))
	}
	s.Logs = !slices.ContainsFunc(logColumns, func(name string) bool { return !slices.Contains(s.Columns, name) })
	return nil
}

// logColumns are columns of Griot's export of messages that no other file has together.
var logColumns = []string{"messageId", "createdAt", "requestedChannel", "to", "deliveredAt"}

// row assigns the cells of a line to their columns. Cells without a column must be empty.
func (s *Source) row(line int, cells []string) (Row, error) {
	row := Row{Line: line, Values: make(map[string]string, len(s.Columns))}
	differs := false
	for i, name := range s.Columns[:min(len(cells), len(s.Columns))] {
		row.Values[name] = cellText(cells[i])
		differs = differs || name != s.before[i] || row.Values[name] != strings.TrimSpace(cells[i])
	}
	if differs {
		row.earlier = make(map[string]string, len(s.Columns))
		for i, name := range s.before[:min(len(cells), len(s.before))] {
			row.earlier[name] = strings.TrimSpace(cells[i])
		}
	}
	switch {
	case len(cells) < len(s.Columns), slices.ContainsFunc(cells[min(s.width, len(cells)):], isText):
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
