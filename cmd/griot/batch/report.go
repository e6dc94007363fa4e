package batch

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The columns that a report adds to those of the file. If the file is a report and already has them, their values are
// replaced.
const (
	ownColumns    = "griot_"
	lineColumn    = ownColumns + "line"
	codeColumn    = ownColumns + "code"
	reasonColumn  = ownColumns + "reason"
	messageColumn = ownColumns + "message"
)

// Report is a file with the failed rows and the reasons. It can be sent as a batch.
type Report struct {
	Path   string
	Rows   int
	source *Source
	file   *os.File
	csv    *csv.Writer
}

// NewReport returns the report about a file. It is created with its first row, and replaces an existing one. An empty
// path means a name next to the file.
func NewReport(s *Source, path string) (*Report, error) {
	if path == "" {
		ext := filepath.Ext(s.Path)
		path = strings.TrimSuffix(s.Path, ext) + ".failed" + ext
	}
	info, err := os.Stat(path)
	if err == nil && (os.SameFile(info, s.info) || !info.Mode().IsRegular() || info.Size() > 0 && !isReport(path)) {
		return nil, fmt.Errorf("the report would overwrite %s, which isn't a report: choose another file", path)
	}
	return &Report{Path: path, source: s}, nil
}

// isReport reports whether a file is the report of an earlier run.
func isReport(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, maxRow)).ReadString('\n')
	return strings.Contains(line, codeColumn)
}

// Clear removes the report of an earlier run.
func (r *Report) Clear() error {
	err := os.Remove(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Add writes a failed row.
func (r *Report) Add(row Row, code, reason, messageID string) error {
	if r.file == nil {
		if err := r.create(); err != nil {
			return err
		}
	}
	r.Rows++
	own := map[string]string{lineColumn: strconv.Itoa(row.Line), codeColumn: code, reasonColumn: reason, messageColumn: messageID}
	if r.source.Lines {
		values := map[string]string{}
		for name, value := range row.before() {
			if !strings.HasPrefix(name, ownColumns) {
				values[name] = value
			}
		}
		maps.Copy(values, own)
		return json.NewEncoder(r.file).Encode(values)
	}
	var cells []string // as they are in the file: without its mark, a text could become a formula
	for _, name := range r.columns() {
		cells = append(cells, row.before()[name])
	}
	return r.write(append(cells, own[lineColumn], code, reason, messageID))
}

func (r *Report) create() (err error) {
	if r.file, err = os.OpenFile(r.Path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err != nil || r.source.Lines {
		return err
	}
	if r.source.Encoding != UTF8 {
		if _, err := r.file.WriteString(byteOrderMark); err != nil { // the program that wrote the file expects it in UTF-8
			return err
		}
	}
	r.csv = csv.NewWriter(r.file)
	r.csv.Comma = r.source.comma
	return r.write(append(r.columns(), lineColumn, codeColumn, reasonColumn, messageColumn))
}

// columns returns the columns of the file, as they are written there.
func (r *Report) columns() []string {
	return slices.DeleteFunc(slices.Clone(r.source.before), func(name string) bool { return strings.HasPrefix(name, ownColumns) })
}

func (r *Report) write(cells []string) error {
	if err := r.csv.Write(cells); err != nil {
		return err
	}
	r.csv.Flush() // so that a killed run leaves its results
	return r.csv.Error()
}

// Close closes the report.
func (r *Report) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
