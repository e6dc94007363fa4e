package config

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// field is a setting of a struct, or a group of settings.
type field struct {
	name   string // in the file
	env    string // suffix of its variable; empty: it has none
	prefix string // prefix of the variables of its parts
	index  []int
}

// fields returns the settings of a struct, including those of an embedded struct.
func fields(t reflect.Type) (all []field) {
	for f := range t.Fields() {
		if f.Anonymous {
			for _, inner := range fields(f.Type) {
				inner.index = append([]int{f.Index[0]}, inner.index...)
				all = append(all, inner)
			}
			continue
		}
		if name := f.Tag.Get("yaml"); f.IsExported() && name != "-" {
			one := field{name: name, env: f.Tag.Get("env"), prefix: f.Tag.Get("envPrefix"), index: f.Index}
			if one.env == "-" {
				one.env = ""
			}
			all = append(all, one)
		}
	}
	return all
}

var (
	durationType    = reflect.TypeFor[time.Duration]()
	unmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// setText sets a value from the text of a file or a variable. If the text is invalid, it returns a description of the
// expected format, without the text.
func setText(v reflect.Value, text string) (want string) {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return err.Error()
		}
		return ""
	}
	if v.Type() == durationType {
		d, err := time.ParseDuration(text)
		if err != nil {
			return "must be a duration such as 30s, 5m, or 1h30m"
		}
		v.SetInt(int64(d))
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		switch strings.ToLower(text) {
		case "true", "yes", "on", "1":
			v.SetBool(true)
		case "false", "no", "off", "0":
			v.SetBool(false)
		default:
			return "must be true or false"
		}
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, v.Type().Bits())
		if err != nil {
			return "must be a whole number"
		}
		v.SetInt(n)
	case reflect.Slice:
		return setItems(v, text)
	case reflect.Map:
		return setPairs(v, text)
	default:
		return "has a type that can't be set"
	}
	return ""
}

// setItems sets a list from items separated by commas.
func setItems(v reflect.Value, text string) (want string) {
	list := reflect.MakeSlice(v.Type(), 0, 0)
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		one := reflect.New(v.Type().Elem()).Elem()
		if one.Kind() == reflect.Struct && !one.Addr().Type().Implements(unmarshalerType) {
			return "must be a list"
		}
		if want := setText(one, item); want != "" {
			return want
		}
		list = reflect.Append(list, one)
	}
	v.Set(list)
	return ""
}

// setPairs sets a map from pairs such as a:1,b:2.
func setPairs(v reflect.Value, text string) (want string) {
	pairs := reflect.MakeMap(v.Type())
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), ":")
		one := reflect.New(v.Type().Elem()).Elem()
		if !ok || one.Kind() == reflect.Interface {
			return "must be pairs such as name:value, with commas between them"
		}
		if want := setText(one, value); want != "" {
			return "each value " + want
		}
		pairs.SetMapIndex(reflect.ValueOf(name), one)
	}
	v.Set(pairs)
	return ""
}
