package batch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxRows = 1_000_000
	maxRow  = 1 << 20 // bytes; as much as the service takes in a request
)

// Row is a row of a file.
type Row struct {
	Line   int               // in the file, from 1
	Values map[string]string // by column, without space around them; those that are not there are absent
}

// RowError is a row that cannot be read, or sent. The rows behind it may be fine.
type RowError struct {
	Row     Row
	Problem string
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Row.Line, e.Problem) }

// Source is a file of recipients: CSV with a head, or a JSON object a line.
type Source struct {
	Path    string
	Columns []string // of a CSV file, in their order; nil: JSON, whose rows may differ
	Lines   bool     // JSON lines
	comma   rune
	info    fs.FileInfo // when it was opened
	sum     hash.Hash   // of all bytes of the latest whole reading
}

// Open looks at a file's beginning.
func Open(path string) (*Source, error) {
	s := &Source{Path: path}
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if s.info, err = in.file.Stat(); err != nil {
		return nil, err
	}
	if !s.info.Mode().IsRegular() {
		return nil, errors.New("this is no file: it is read twice, so that nothing can be piped in")
	}
	start, err := in.Peek(2)
	if bytes.Equal(start, []byte{0xff, 0xfe}) || bytes.Equal(start, []byte{0xfe, 0xff}) {
		return nil, errors.New("the file is in UTF-16: save it as UTF-8 (in Excel: CSV UTF-8)")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".jsonl", ext == ".ndjson", ext != ".csv" && ext != ".tsv" && len(start) > 0 && start[0] == '{':
		s.Lines = true
		return s, nil
	}
	if s.comma, err = separator(in.Reader); err != nil {
		return nil, err
	}
	_, err = s.begin(in)
	return s, err
}

// opened is a file that is being read, behind the mark of its encoding.
type opened struct {
	*bufio.Reader
	file *os.File
	row  *rowReader
}

func (o *opened) Close() error { return o.file.Close() }

func (s *Source) open() (*opened, error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	s.sum = sha256.New()
	row := &rowReader{in: io.TeeReader(f, s.sum)}
	in := &opened{bufio.NewReaderSize(row, 64<<10), f, row}
	if start, _ := in.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, err = in.Discard(len(byteOrderMark))
	}
	return in, err
}

const byteOrderMark = "\ufeff"

// begin reads what is before the rows, and returns what reads the next row.
func (s *Source) begin(in *opened) (next func() (Row, error), err error) {
	if s.Lines {
		return lineRows(in), nil
	}
	return s.csvRows(in)
}

// Rows reads the file from its beginning. A row that is wrong is a [*RowError], after which the rows go on; any other error
// is the last.
func (s *Source) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		in, err := s.open()
		if err != nil {
			yield(Row{}, err)
			return
		}
		defer in.Close()
		next, err := s.begin(in)
		for n := 0; ; n++ {
			row := Row{}
			if err == nil {
				in.row.read = 0
				row, err = next()
			}
			bad, isRow := errors.AsType[*RowError](err)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err == nil && n >= maxRows:
				err = fmt.Errorf("the file has more than %d rows: split it", maxRows)
			case isRow:
				row = bad.Row
			}
			if !yield(row, err) || err != nil && !isRow {
				return
			}
			err = nil
		}
	}
}

// digest names the content that was read last, to its end.
func (s *Source) digest() string { return hex.EncodeToString(s.sum.Sum(nil)[:8]) }

// changed reports whether the file is another one than was opened.
func (s *Source) changed() bool {
	now, err := os.Stat(s.Path)
	return err != nil || !os.SameFile(now, s.info) || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime())
}

// rowReader fails when more is read for one row than a row may have: a quote that is never closed would hold the whole file.
type rowReader struct {
	in   io.Reader
	read int // for the row that is being read
}

var errLongRow = fmt.Errorf("a row has more than %d bytes: is a quote not closed?", maxRow)

func (r *rowReader) Read(b []byte) (int, error) {
	if r.read > maxRow {
		return 0, errLongRow
	}
	n, err := r.in.Read(b)
	r.read += n
	return n, err
}
