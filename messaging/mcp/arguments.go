package mcp

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/strictjson"
)

// arguments are the arguments of a call, which are taken one by one. Those that are left at the end are unknown to
// the tool. null is treated as missing, as in bodies of the HTTP interface. The first error of each kind is kept.
type arguments struct {
	remaining map[string]json.RawMessage
	err       error // an argument cannot be parsed
	wrong     error // an argument was parsed, but its value is out of bounds
}

// check returns the first error.
func (a *arguments) check() error { return cmp.Or(a.err, a.wrong) }

// readArguments parses a JSON object, which can be missing.
func readArguments(raw json.RawMessage) (*arguments, bool) {
	a := &arguments{}
	if raw == nil || string(raw) == "null" {
		return a, true
	}
	return a, raw[0] == '{' && strictjson.Unmarshal(raw, &a.remaining) == nil
}

func (a *arguments) take(name string) (json.RawMessage, bool) {
	v, ok := a.remaining[name]
	delete(a.remaining, name)
	return v, ok && string(v) != "null" && a.err == nil
}

// text takes a text of least to most characters. It returns "" if the text is missing. An empty text is treated as
// missing if least is 1, because clients send one for an argument that a model left out.
func (a *arguments) text(name string, least, most int) (s string, present bool) {
	v, ok := a.take(name)
	if !ok {
		return "", false
	}
	if v[0] != '"' || strictjson.Unmarshal(v, &s) != nil {
		a.err = apierror.InvalidRequest.On(name).Detailf("%s must be a string.", name)
		return "", false
	}
	switch n := utf8.RuneCountInString(s); {
	case n == 0 && least == 1:
		return "", false
	case n < least || n > most:
		a.wrong = cmp.Or[error](a.wrong, apierror.InvalidRequest.On(name).Detailf("%s must have %d to %d characters.", name, least, most))
	case strings.ContainsRune(s, 0):
		a.err = apierror.InvalidRequest.On(name).Detailf("U+0000 is not allowed.")
	}
	return s, true
}

// required takes a required text.
func (a *arguments) required(name string, most int) string {
	s, present := a.text(name, 1, most)
	if !present && a.check() == nil {
		a.wrong = apierror.InvalidRequest.On(name).Detailf("%s is required.", name)
	}
	return s
}

// integer takes a whole number, which can be in a string, or returns absent if it is missing.
func (a *arguments) integer(name string, absent int) int {
	v, ok := a.take(name)
	if !ok {
		return absent
	}
	if inner, err := strconv.Unquote(string(v)); err == nil {
		v = json.RawMessage(strings.TrimSpace(inner))
	}
	var f float64
	if strictjson.Unmarshal(v, &f) != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		a.err = apierror.InvalidRequest.On(name).Detailf("%s must be an integer.", name)
		return absent
	}
	return int(f)
}

// flag takes true or false, which can be in a string. It returns false if the argument is missing.
func (a *arguments) flag(name string) bool {
	v, ok := a.take(name)
	if !ok {
		return false
	}
	switch strings.Trim(string(v), `"`) {
	case "true":
		return true
	case "false", "":
		return false
	}
	a.err = apierror.InvalidRequest.On(name).Detailf("%s must be true or false.", name)
	return false
}
