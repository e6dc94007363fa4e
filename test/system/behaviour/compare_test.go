package behaviour

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Problems returns the differences between an outcome and the case's expectation.
func (c *Case) Problems(got *Outcome) (problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	switch want := c.Want.Error; {
	case want == nil && got.Error != nil:
		problem("got the error %+v, want none", *got.Error)
	case want != nil && got.Error == nil:
		problem("got no error, want %+v", *want)
	case want != nil:
		for i := range reflect.TypeOf(*want).NumField() {
			w, g := reflect.ValueOf(*want).Field(i), reflect.ValueOf(*got.Error).Field(i)
			if !w.IsZero() && !w.Equal(g) {
				problem("the error has %s %v, want %v", reflect.TypeOf(*want).Field(i).Name, g, w)
			}
		}
	}
	if c.Want.Result != nil && got.Error == nil {
		problems = append(problems, difference("the result", decode(c.Want.Result), decode(got.Result))...)
	}
	if c.Want.PausesMs != nil {
		if len(got.PausesMs) != len(c.Want.PausesMs) {
			problem("got the pauses %v, want %d within %v", got.PausesMs, len(c.Want.PausesMs), c.Want.PausesMs)
			return problems
		}
		for i, within := range c.Want.PausesMs {
			if ms := got.PausesMs[i]; ms < within[0] || ms > within[1] {
				problem("pause %d is %d ms, want %d to %d", i, ms, within[0], within[1])
			}
		}
	}
	return problems
}

func decode(b json.RawMessage) (v any) {
	if json.Unmarshal(b, &v) != nil {
		return string(b)
	}
	return v
}

// difference returns the parts of want that got doesn't have.
func difference(at string, want, got any) (problems []string) {
	switch want := want.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v, want an object", at, got)}
		}
		for name, value := range want {
			problems = append(problems, difference(at+"."+name, value, members[name])...)
		}
		slices.Sort(problems)
		return problems
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			return []string{fmt.Sprintf("%s is %v, want %d items", at, got, len(want))}
		}
		for i, value := range want {
			problems = append(problems, difference(fmt.Sprintf("%s[%d]", at, i), value, items[i])...)
		}
		return problems
	}
	if !reflect.DeepEqual(want, got) {
		return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
	}
	return nil
}
