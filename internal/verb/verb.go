package verb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/griot/internal/strictjson"
)

// Danger is the worst effect of a verb.
type Danger int

// The dangers of verbs. A verb that [Deletes] can't be undone and must be confirmed.
const (
	Reads Danger = iota
	Changes
	Deletes
)

// A Verb is one operation of an operator. Its command, endpoint, and form are derived from it.
type Verb struct {
	Name    string // "clients.create"
	Help    string // a sentence without a full stop
	Long    string // longer help text; can be empty
	Danger  Danger
	Command string // the words of its command after "griot admin"; empty: no command
	In      []Field
	Out     Shape

	service any // nil: not bound yet
	do      func(ctx context.Context, service any, in []byte) (any, error)
	err     error // an error in the types
}

// Define returns a verb for a method expression, such as (*service).addSender. It needs no service yet. The tags of In and Out define
// its fields and columns. Calls with fields that In doesn't have are refused, so that a newer client can't assume that the server has
// applied them.
func Define[S, In, Out any](name, help string, d Danger, do func(S, context.Context, *In) (Out, error)) Verb {
	in, err := fieldsOf(reflect.TypeFor[In]())
	return Verb{
		Name: name, Help: help, Danger: d, Command: strings.ReplaceAll(name, ".", " "), In: in, Out: Shape{reflect.TypeFor[Out]()}, err: err,
		do: func(ctx context.Context, service any, body []byte) (any, error) {
			s, ok := service.(S)
			if !ok {
				return nil, fmt.Errorf("admin: %s is bound to a %T", name, service)
			}
			given := new(In)
			if err := strictjson.UnmarshalKnown(body, given); err != nil {
				return nil, Refuse("The server doesn't understand the request. Check whether it runs another version.")
			}
			return do(s, ctx, given)
		},
	}
}

// As returns the verb with a different command than the words of its name; "": no command.
func (v Verb) As(command string) Verb {
	v.Command = command
	return v
}

// Explained returns the verb with a longer help text for its command.
func (v Verb) Explained(long string) Verb {
	v.Long = long
	return v
}

// GoesOn copies the fields from a result to the input of the next call. more is false if the verb is finished.
func (v Verb) GoesOn(in, result map[string]any) (more bool) {
	for i := range v.In {
		f := &v.In[i]
		if !f.Again {
			continue
		}
		value := result[f.Name()]
		delete(in, f.Name())
		if value != nil && value != "" {
			in[f.Name()], more = value, true
		}
	}
	return more
}

// Verbs is a table of verbs.
type Verbs []Verb

// Bind returns the verbs bound to the service that runs them. around, if not nil, wraps each call: it can derive the
// context and translate the error.
func Bind[S any](service S, verbs Verbs, around func(ctx context.Context, call func(context.Context) (any, error)) (any, error)) Verbs {
	out := slices.Clone(verbs)
	for i := range out {
		out[i].service = service
		if do := out[i].do; around != nil {
			out[i].do = func(ctx context.Context, service any, in []byte) (any, error) {
				return around(ctx, func(ctx context.Context) (any, error) { return do(ctx, service, in) })
			}
		}
	}
	return out
}

// Join merges the tables of the services. All verbs must be bound.
func Join(tables ...Verbs) (Verbs, error) {
	all := slices.Concat(tables...)
	seen := map[string]bool{}
	for _, v := range all {
		switch {
		case seen[v.Name]:
			return nil, fmt.Errorf("admin: two verbs are called %s", v.Name)
		case v.service == nil:
			return nil, fmt.Errorf("admin: nothing runs %s", v.Name)
		}
		if err := errors.Join(v.err, v.Out.check()); err != nil {
			return nil, fmt.Errorf("admin: %s: %w", v.Name, err)
		}
		seen[v.Name] = true
	}
	return all, nil
}

// Find returns the verb with a name, or nil.
func (v Verbs) Find(name string) *Verb {
	if i := slices.IndexFunc(v, func(one Verb) bool { return one.Name == name }); i >= 0 {
		return &v[i]
	}
	return nil
}

// Call runs a verb and returns its result as JSON.
func (v Verbs) Call(ctx context.Context, verb string, in []byte) (json.RawMessage, error) {
	found := v.Find(verb)
	if found == nil {
		return nil, kinds().NotFound.Err()
	}
	out, err := found.do(ctx, found.service, in)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // addresses contain ampersands, and no page shows them
	err = e.Encode(out)
	return b.Bytes(), err
}
