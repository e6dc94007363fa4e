package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// lineRows returns a function that reads the next JSON object of a file with one per line.
func lineRows(in *opened) func() (Row, error) {
	n := 0
	return func() (Row, error) {
		for {
			var line []byte
			for more := true; more; {
				part, prefix, err := in.ReadLine()
				if err != nil && !(errors.Is(err, io.EOF) && len(line) > 0) {
					return Row{}, err
				}
				line, more = append(line, part...), prefix
			}
			n++
			if line = bytes.TrimSpace(line); len(line) > 0 {
				values, problem := parseLine(line)
				if problem != "" {
					return Row{}, &RowError{Row{Line: n, Values: values}, problem}
				}
				row := Row{Line: n}
				row.Values, row.earlier = compose(values)
				if len(row.Values) < len(values) {
					return Row{}, &RowError{row, "two fields have the same name in different Unicode forms"}
				}
				return row, nil
			}
			in.row.read = 0
		}
	}
}

// parseLine parses an object whose fields are texts, numbers, true, or false. A field that is null counts as absent.
func parseLine(line []byte) (values map[string]string, problem string) {
	if !utf8.Valid(line) {
		return nil, "it is not UTF-8"
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var members map[string]any
	if err := d.Decode(&members); err != nil || members == nil {
		return nil, "it is not a JSON object"
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, "there is text after the JSON object"
	}
	values = make(map[string]string, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch v := members[name].(type) {
		case nil:
		case string:
			values[name] = strings.TrimSpace(v)
		case json.Number:
			values[name] = v.String()
		case bool:
			values[name] = fmt.Sprint(v)
		default:
			problem = fmt.Sprintf("%q is neither a text nor a number", name)
		}
	}
	return values, problem
}
