package cloudapi

import (
	"bytes"
	"encoding/json"
	"errors"

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

type word = httpcall.Word

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
