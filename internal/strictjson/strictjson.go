package strictjson

import (
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error describes the problem with a text, without quoting it.
type Error struct {
	// Member is the path of the field with the wrong type, as far as it is known from
	// the destination type ("whatsapp.template"). Names from the input are not
	// repeated.
	Member string
	// Twice reports whether an object has a name twice.
	Twice bool
}

func (e *Error) Error() string {
	switch {
	case e.Member != "":
		return "json: " + e.Member + " has the wrong type"
	case e.Twice:
		return "json: an object has a name twice"
	}
	return "json: not one valid value"
}

// Unmarshal decodes one JSON value into in. It ignores fields that in doesn't have. Its errors are of type [*Error].
func Unmarshal(body []byte, in any) error { return unmarshal(body, in) }

// UnmarshalText decodes like [Unmarshal], but reads invalid UTF-8 and lone surrogates as U+FFFD. It is for people's texts
// that a program passes on, which would otherwise be lost.
func UnmarshalText(body []byte, in any) error {
	return unmarshal(body, in, jsontext.AllowInvalidUTF8(true))
}

// UnmarshalKnown decodes like [Unmarshal], but fields that in doesn't have are an error.
func UnmarshalKnown(body []byte, in any) error {
	return unmarshal(body, in, json.RejectUnknownMembers(true))
}

func unmarshal(body []byte, in any, options ...json.Options) error {
	err := json.Unmarshal(body, in, options...)
	if err == nil {
		return nil
	}
	e := &Error{Twice: errors.Is(err, jsontext.ErrDuplicateName)}
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok && !errors.Is(err, json.ErrUnknownName) {
		e.Member = path(reflect.TypeOf(in), wrong.JSONPointer)
	}
	return e
}

// path returns a pointer with dots, as far as it goes through fields of structs.
func path(t reflect.Type, at jsontext.Pointer) string {
	var names []string
	for token := range at.Tokens() {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Struct:
			f, ok := field(t, token)
			if !ok {
				return strings.Join(names, ".")
			}
			names, t = append(names, token), f.Type
		case reflect.Slice, reflect.Array:
			t = t.Elem()
		default:
			return strings.Join(names, ".")
		}
	}
	return strings.Join(names, ".")
}

func field(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && (tag == name || tag == "" && f.Name == name) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}
