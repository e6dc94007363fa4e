package verb

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Shape is the type of a verb's result: a record or a list of records. Struct tags select what people see:
//
//	col:"NAME[,seconds][,cut]"           a column of lists, and a line of a record
//	row:"name[,seconds][,once][,always]" a line of a record only
//	page:"name[,seconds]"                a line of a record's page only
//
// A field that is a list of records is a separate table. The fields of a nested struct are shown like those of the outer one. If a type
// has a method Cell() string, its result is shown.
type Shape struct {
	of reflect.Type
}

// A Column is a field of a record that people see.
type Column struct {
	Name     string // as in the tag
	rowOnly  bool
	pageOnly bool
	words    []string
	index    []int
}

type celled interface{ Cell() string }

// named is a value of a record that names another record with its own key.
type named interface {
	celled
	Key() string
}

// check returns an error if people would see no column.
func (s Shape) check() error {
	if of := element(s.of); of.Kind() == reflect.Struct {
		if columns, tables := columnsOf(of, nil); len(columns)+len(tables) == 0 {
			return fmt.Errorf("nothing of %s is shown", of)
		}
	}
	return nil
}

// element returns the element type of a list, or the type itself if it is no list.
func element(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return t
}

// columnsOf reads the tags of a record. It returns the columns that commands show, and the fields that are
// separate tables.
func columnsOf(t reflect.Type, outer []int) (columns []Column, tables [][]int) {
	columns, tables = tagsOf(t, outer)
	return slices.DeleteFunc(columns, func(c Column) bool { return c.pageOnly }), tables
}

func tagsOf(t reflect.Type, outer []int) (columns []Column, tables [][]int) {
	for m := range t.Fields() {
		at := append(slices.Clone(outer), m.Index...)
		col, row, page := m.Tag.Get("col"), m.Tag.Get("row"), m.Tag.Get("page")
		switch {
		case col+row+page != "":
			words := strings.Split(col+row+page, ",")
			columns = append(columns, Column{Name: words[0], words: words[1:], rowOnly: row != "", pageOnly: page != "", index: at})
		case m.Type.Kind() == reflect.Slice && m.Type.Elem().Kind() == reflect.Struct:
			tables = append(tables, at)
		case isGroup(m.Type):
			c, below := tagsOf(m.Type, at)
			columns, tables = append(columns, c...), append(tables, below...)
		}
	}
	return columns, tables
}

// Columns returns the names of all columns of a record or of the records of a list.
func (s Shape) Columns() (names []string) {
	of := element(s.of)
	columns, tables := tagsOf(of, nil)
	for _, at := range tables {
		below, _ := tagsOf(element(of.FieldByIndex(at).Type), nil)
		columns = append(columns, below...)
	}
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// Read reads a verb's result, for [Shape.Tables].
func (s Shape) Read(raw []byte) (any, error) {
	v := reflect.New(s.of)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return nil, fmt.Errorf("the server's response: %w", err)
	}
	return v.Elem().Interface(), nil
}

// Tables returns the visible part of a result as rows of cells. A list has a header row and one row for each record. A
// record in list format has the same. Any other record has one row for each field that is not empty.
func Tables(result any) [][][]any {
	v := reflect.ValueOf(result)
	if v.Kind() == reflect.Slice {
		columns, _ := columnsOf(v.Type().Elem(), nil)
		columns = slices.DeleteFunc(columns, func(c Column) bool { return c.rowOnly })
		head := make([]any, len(columns))
		for i, c := range columns {
			head[i] = c.Name
		}
		rows := [][]any{head}
		for i := range v.Len() {
			row := make([]any, len(columns))
			for j, c := range columns {
				row[j] = c.Cell(v.Index(i))
			}
			rows = append(rows, row)
		}
		return [][][]any{rows}
	}
	columns, tables := columnsOf(v.Type(), nil)
	var out [][][]any
	switch {
	case slices.ContainsFunc(columns, func(c Column) bool { return c.rowOnly }):
		var rows [][]any
		for _, c := range columns {
			if cell := c.Cell(v); !isEmpty(cell) || slices.Contains(c.words, "always") {
				rows = append(rows, []any{strings.ToLower(c.Name), cell})
			}
		}
		out = append(out, rows)
	case len(columns) > 0:
		list := reflect.MakeSlice(reflect.SliceOf(v.Type()), 0, 1)
		out = append(out, Tables(reflect.Append(list, v).Interface())...)
	}
	for _, at := range tables {
		out = append(out, Tables(v.FieldByIndex(at).Interface())...)
	}
	return out
}

// A Line is a field of a record that its page shows.
type Line struct {
	Name string // in lower case
	Cell any    // a time, or a single-line text
	Once bool   // a secret that is never shown again

	Named []Named // the records that the cell names, in its order; nil if none has a key
}

// Named is a record that a cell names.
type Named struct {
	Key, Text string
}

// Lines returns the fields that the page of a record shows: each field that has a tag and is not empty.
func Lines(record any) []Line {
	var out []Line
	v := reflect.ValueOf(record)
	columns, _ := tagsOf(v.Type(), nil)
	for _, c := range columns {
		once := slices.Contains(c.words, "once")
		c.words = slices.DeleteFunc(slices.Clone(c.words), func(w string) bool { return w == "once" })
		if cell := c.Cell(v); !isEmpty(cell) {
			out = append(out, Line{Name: strings.ToLower(c.Name), Cell: cell, Once: once, Named: namedIn(v.FieldByIndex(c.index))})
		}
	}
	return out
}

func namedIn(list reflect.Value) (out []Named) {
	if list.Kind() != reflect.Slice {
		return nil
	}
	for i := range list.Len() {
		if one, ok := list.Index(i).Interface().(named); ok {
			out = append(out, Named{one.Key(), one.Cell()})
		}
	}
	return out
}

// LinesOf returns the [Lines] of one record of a list.
func LinesOf(list any, i int) []Line { return Lines(reflect.ValueOf(list).Index(i).Interface()) }

func isEmpty(cell any) bool {
	at, isTime := cell.(time.Time)
	return cell == "" || isTime && at.IsZero()
}

const cutCell = 80 // characters

// Cell returns the visible value of the column in a record: a time, or a single-line text.
func (c *Column) Cell(record reflect.Value) any {
	v := record.FieldByIndex(c.index)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	if at, ok := reflect.Indirect(v).Interface().(time.Time); ok {
		return at
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cellText(v))
	if slices.Contains(c.words, "seconds") {
		text = (time.Duration(reflect.Indirect(v).Int()) * time.Second).String()
	}
	if cut := []rune(text); slices.Contains(c.words, "cut") && len(cut) > cutCell {
		text = string(cut[:cutCell]) + "…"
	}
	if slices.Contains(c.words, "once") && text != "" {
		text += "  (not shown again)"
	}
	return text
}

func cellText(v reflect.Value) string {
	switch one := v.Interface().(type) {
	case celled:
		return one.Cell()
	case []string:
		return strings.Join(one, " ")
	case map[string]string:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(one)) {
			parts = append(parts, name+"="+one[name])
		}
		return strings.Join(parts, " ")
	}
	switch v.Kind() { //nolint:exhaustive // the others are as they are
	case reflect.Pointer:
		return cellText(v.Elem())
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, cellText(v.Index(i)))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v.Interface())
}
