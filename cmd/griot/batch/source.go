package batch

import (
	"bufio"
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

	"golang.org/x/text/encoding"
)

const (
	maxRows = 1_000_000
	maxRow  = 1 << 20 // bytes; the service's maximum for a request
)

// Row is a row of a file.
type Row struct {
	Line   int               // in the file, from 1
	Values map[string]string // by column, composed (NFC) and without surrounding spaces; missing values are absent

	earlier map[string]string // the values as earlier versions read them; nil: Values
}

// RowError is a row that can't be read or sent. Later rows can be valid.
type RowError struct {
	Row     Row
	Problem string
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Row.Line, e.Problem) }

// A Source is a file of recipients: CSV with a header row, or one JSON object per line.
type Source struct {
	Path     string
	Encoding string   // UTF8, UTF16, or Windows1252
	Columns  []string // of a CSV file, in order; nil: JSON, whose rows can differ
	Lines    bool     // JSON lines
	Logs     bool     // an export of Griot's messages, whose numbers have no plus
	width    int      // of a CSV file: the columns, with those at the end that have no name
	before   []string // the names of the columns as earlier versions read them
	comma    rune
	named    bool              // the first line names the separator
	decoding encoding.Encoding // nil: UTF-8
	info     fs.FileInfo       // at the time of opening
	sum      hash.Hash         // of all bytes of the latest complete reading
}

// Open detects the format of a file.
func Open(path string) (*Source, error) {
	s := &Source{Path: path}
	if err := s.inspect(); err != nil {
		return nil, err
	}
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	start, err := in.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".jsonl", ext == ".ndjson", ext != ".csv" && ext != ".tsv" && len(start) > 0 && start[0] == '{':
		s.Lines = true
		return s, nil
	}
	if s.comma, s.named, err = separator(in.Reader); err != nil {
		return nil, err
	}
	again, err := s.open() // with the separator
	if err != nil {
		return nil, err
	}
	defer again.Close()
	_, err = s.begin(again)
	return s, err
}

// inspect detects the identity of the file and its encoding.
func (s *Source) inspect() error {
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if s.info, err = f.Stat(); err != nil {
		return err
	}
	if !s.info.Mode().IsRegular() {
		return errors.New("this isn't a file: the command reads it several times, so it can't read from a pipe")
	}
	return s.detect(f)
}

// opened is a file that is being read, after its byte order mark.
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
	in := &opened{bufio.NewReaderSize(decoded(row, s.decoding), 64<<10), f, row}
	if start, _ := in.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, err = in.Discard(len(byteOrderMark))
	}
	if s.comma != 0 || s.Lines {
		in.Reader = bufio.NewReader(&lineEnds{in: in.Reader, comma: byte(s.comma)})
	}
	return in, err
}

// begin reads the part before the rows, and returns a function that reads the next row.
func (s *Source) begin(in *opened) (next func() (Row, error), err error) {
	if s.Lines {
		return lineRows(in), nil
	}
	return s.csvRows(in)
}

// Rows reads the file from the start. An invalid row yields a [*RowError], and the following rows are still read. Any
// other error is the last.
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

// digest returns the digest of the content that was last read to its end.
func (s *Source) digest() string { return hex.EncodeToString(s.sum.Sum(nil)[:8]) }

// changed reports whether the file is no longer the one that was opened.
func (s *Source) changed() bool {
	now, err := os.Stat(s.Path)
	return err != nil || !os.SameFile(now, s.info) || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime())
}

// rowReader returns an error if more is read for one row than the maximum, because an unclosed quote would otherwise
// read the whole file into memory.
type rowReader struct {
	in   io.Reader
	read int // bytes of the current row
}

var errLongRow = fmt.Errorf("a row has more than %d bytes: check for a quote that isn't closed", maxRow)

func (r *rowReader) Read(b []byte) (int, error) {
	if r.read > maxRow {
		return 0, errLongRow
	}
	n, err := r.in.Read(b)
	r.read += n
	return n, err
}
