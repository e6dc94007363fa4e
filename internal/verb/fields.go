package verb

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Kind is the type of a field's value.
type Kind int

// The kinds of fields.
const (
	Text     Kind = iota
	Number        // whole numbers
	Bool          //
	Time          // a time; can be absent if the field is optional
	Duration      // whole seconds
	List          // of strings
	Settings      // an object whose fields depend on another field
	Object        // an object that only programs provide
)

// A Field is one field of a verb's input. Struct tags describe it:
//
//	flag:"name[,required][,seconds]"  a flag of the command
//	arg:"NAME"                        the command's argument
//	default:"value"                   sent by the command without the flag
//	again:"true"                      the result's field of the same name is sent with the next call, until it is empty
//	help:"…"                          description
//	oneof:"a b"                       forms offer these values
//	of:"plans"                        forms offer the names of these resources
//	form:"-"                          forms leave it out
//	form:"optional"                   can be empty in forms although the command requires the flag
//	form:"days"                       forms ask for whole days
//	number:"true"                     a text that can be a phone number, which the command's --country completes
//	number:"short"                    the same, or a short code
//
// A field without the tags flag, arg, and again is for programs only. The fields of a struct are separate fields that are provided together.
type Field struct {
	Path       []string // JSON names, outermost first
	Flag       string
	Arg        string
	Help       string
	Default    string
	Kind       Kind
	Required   bool
	OneOf      []string
	Of         string
	NoForm     bool
	MayBeEmpty bool // in a form
	Days       bool // a form shows the field in days
	Absent     bool // null keeps the stored value
	Again      bool
	Phone      bool   // a text that can be a phone number
	ShortCode  bool   // it can also be a short code
	Together   string // the struct type whose fields are provided together; empty: none
	Secret     bool   // a form never shows the submitted value; no tag
	More       bool   // a form shows it among additional fields; no tag
}

// Name returns the field's JSON name.
func (f *Field) Name() string { return f.Path[len(f.Path)-1] }

// Put sets the field in an input.
func (f *Field) Put(in map[string]any, value any) {
	for _, outer := range f.Path[:len(f.Path)-1] {
		below, ok := in[outer].(map[string]any)
		if !ok {
			below = map[string]any{}
			in[outer] = below
		}
		in = below
	}
	in[f.Name()] = value
}

// Parse parses a form's value. An empty value is 0, no time, or an empty string; nil if the kind has no empty value.
func (f *Field) Parse(text string) (any, error) {
	switch f.Kind {
	case Number:
		if text == "" {
			return 0, nil
		}
		return strconv.ParseInt(text, 10, 64)
	case Bool:
		return text == "true", nil
	case Time:
		if text == "" {
			return time.Time{}, nil
		}
		return time.Parse(time.DateOnly, text)
	case Duration:
		if text == "" {
			return 0, nil
		}
		if f.Days {
			n, err := strconv.ParseInt(text, 10, 32)
			return n * int64(day/time.Second), err
		}
		d, err := time.ParseDuration(text)
		return int64(d / time.Second), err
	case List:
		return strings.Fields(text), nil
	case Settings:
		return ParseSettings([]byte(text))
	case Text:
		return text, nil
	case Object:
	}
	return nil, nil
}

const day = 24 * time.Hour

// FormText returns a default in the format of a form.
func (f *Field) FormText(value string) string {
	if d, err := time.ParseDuration(value); err == nil && f.Days {
		return strconv.Itoa(int(d / day))
	}
	return value
}

// fieldsOf returns the fields of an input type according to its tags.
func fieldsOf(t reflect.Type) ([]Field, error) {
	var out []Field
	for m := range t.Fields() {
		name, _, _ := strings.Cut(m.Tag.Get("json"), ",")
		of := m.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if isGroup(of) && m.Tag.Get("again") == "" {
			below, err := fieldsOf(of)
			for i := range below {
				below[i].Together = of.String()
				if !m.Anonymous {
					below[i].Path = append([]string{name}, below[i].Path...)
				}
			}
			if out = append(out, below...); err != nil {
				return nil, err
			}
			continue
		}
		words := strings.Split(m.Tag.Get("flag"), ",")
		f := Field{
			Path: []string{name}, Flag: words[0], Arg: m.Tag.Get("arg"), Help: m.Tag.Get("help"), Default: m.Tag.Get("default"),
			Required: slices.Contains(words, "required"), Absent: m.Type.Kind() == reflect.Pointer, Again: m.Tag.Get("again") != "",
			OneOf: strings.Fields(m.Tag.Get("oneof")), Of: m.Tag.Get("of"), NoForm: m.Tag.Get("form") == "-",
			MayBeEmpty: m.Tag.Get("form") == "optional", Days: m.Tag.Get("form") == "days", Phone: m.Tag.Get("number") != "", ShortCode: m.Tag.Get("number") == "short",
		}
		kind, ok := kindOf(of)
		if f.Kind = kind; slices.Contains(words, "seconds") {
			f.Kind = Duration
		}
		switch {
		case name == "" || !ok:
			return nil, fmt.Errorf("%s.%s is no field", t, m.Name)
		case f.Kind == Object && f.Flag+f.Arg != "":
			return nil, fmt.Errorf("%s.%s is no field for people", t, m.Name)
		}
		out = append(out, f)
	}
	return out, nil
}

// isGroup reports whether the members of a struct type are separate fields.
func isGroup(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]()
}

func kindOf(t reflect.Type) (Kind, bool) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Time, true
	case t == reflect.TypeFor[json.RawMessage]():
		return Settings, true
	case t == reflect.TypeFor[[]string]():
		return List, true
	case t.Kind() == reflect.Struct:
		return Object, true
	}
	kind, ok := map[reflect.Kind]Kind{reflect.String: Text, reflect.Int: Number, reflect.Int64: Number, reflect.Bool: Bool}[t.Kind()]
	return kind, ok
}

// schema returns the JSON schema of a verb's input.
func schema(fields []Field) map[string]any {
	members, required := map[string]any{}, []string{}
	for i := range fields {
		f := &fields[i]
		at := members
		for _, outer := range f.Path[:len(f.Path)-1] {
			if at[outer] == nil {
				at[outer] = map[string]any{"type": []string{"object", "null"}, "additionalProperties": false, "properties": map[string]any{}}
			}
			at = at[outer].(map[string]any)["properties"].(map[string]any) //nolint:forcetypeassert // made two lines above
		}
		if at[f.Name()] = f.schema(); f.Required || f.Arg != "" {
			required = append(required, f.Path[0])
		}
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": members, "required": slices.Compact(required)}
}

func (f *Field) schema() map[string]any {
	out := map[string]any{"type": map[Kind]string{Text: "string", Number: "integer", Bool: "boolean", Time: "string", Duration: "integer", List: "array", Settings: "object", Object: "object"}[f.Kind]}
	switch f.Kind { //nolint:exhaustive // the others have no more
	case Time:
		out["format"] = "date-time"
	case List:
		out["items"] = map[string]any{"type": "string"}
	}
	if f.Absent || f.Kind == List {
		out["type"] = []any{out["type"], "null"}
	}
	if f.Help != "" {
		out["description"] = f.Help
	}
	return out
}

// ParseSettings reads a gateway's settings in YAML or JSON.
func ParseSettings(text []byte) (json.RawMessage, error) {
	var settings map[string]any
	if yaml.Unmarshal(text, &settings) != nil || settings == nil { // the library's error quotes the input
		return nil, errors.New("the settings must be a mapping in YAML or an object in JSON")
	}
	return json.Marshal(settings)
}
