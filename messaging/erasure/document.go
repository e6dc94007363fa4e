package erasure

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"example.com/griot/internal/isotime"
)

// A document writes a JSON object field by field, and its lists item by item. It keeps the first error.
type document struct {
	w       io.Writer
	flush   func() error
	members int
	items   int
	err     error
}

func (d *document) write(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

func (d *document) value(v any) {
	b, err := json.Marshal(v)
	if d.err == nil {
		d.err = err
	}
	d.write("%s", b)
}

func (d *document) name(name string) {
	separator := ","
	if d.members == 0 {
		separator = "{"
	}
	d.members++
	d.write("%s\n%q: ", separator, name)
}

func (d *document) member(name string, v any) {
	d.name(name)
	d.value(v)
}

func (d *document) beginList(name string) {
	d.name(name)
	d.write("[")
	d.items = 0
}

func (d *document) item(v any) {
	separator := ","
	if d.items == 0 {
		separator = ""
	}
	d.items++
	d.write("%s\n", separator)
	d.value(v)
}

func (d *document) endList() { d.write("]") }

// page ends a piece.
func (d *document) page() error {
	if d.err == nil {
		d.err = d.flush()
	}
	return d.err
}

func (d *document) end() error {
	d.write("\n}\n")
	return d.page()
}

func shownTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := isotime.Format(t)
	return &s
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
