package cloudapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"example.com/griot/gateway/internal/httpcall"
)

// Meta adds, omits, and retypes fields without notice, and it never repeats a webhook that was acknowledged. The types
// below therefore read what is readable: an unexpected value affects only its own field.

// read decodes an object into v. Fields of unexpected types stay zero. ok is false if raw is not an object.
func read(raw json.RawMessage, v any) (ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	err := json.Unmarshal(raw, v)
	_, isType := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || isType
}

// word is a JSON string or number in a form that can be stored ([httpcall.Text]). Anything else is empty.
type word string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *word) UnmarshalJSON(b []byte) error {
	var text string
	var number json.Number
	*w = ""
	if json.Unmarshal(b, &text) == nil {
		*w = word(httpcall.Text(text))
	} else if json.Unmarshal(b, &number) == nil {
		*w = word(number)
	}
	return nil
}

// list is a list whose items are decoded one by one. A single item can replace the list; null is empty.
type list []json.RawMessage

// UnmarshalJSON implements [json.Unmarshaler].
func (l *list) UnmarshalJSON(b []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(b, &items) != nil {
		items = []json.RawMessage{bytes.Clone(b)}
	}
	*l = items
	return nil
}

// seconds is a Unix time, a JSON string or number. Anything else is zero.
type seconds struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *seconds) UnmarshalJSON(b []byte) error {
	var w word
	_ = w.UnmarshalJSON(b) // never fails
	if at, err := strconv.ParseInt(string(w), 10, 64); err == nil && at >= 0 && at <= 1<<40 {
		s.Time = time.Unix(at, 0).UTC()
	}
	return nil
}

// or returns the time, or another one if it is unknown.
func (s seconds) or(other time.Time) time.Time {
	if s.IsZero() {
		return other
	}
	return s.Time
}

// flag is a JSON boolean. Anything else is false and unknown.
type flag struct{ set, known bool }

// UnmarshalJSON implements [json.Unmarshaler].
func (f *flag) UnmarshalJSON(b []byte) error {
	var set *bool
	if json.Unmarshal(b, &set) == nil && set != nil {
		*f = flag{*set, true}
	}
	return nil
}
