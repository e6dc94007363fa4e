package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/stale"
	"example.com/griot/internal/strictjson"
)

// Verb executes one command: it takes a JSON object and returns what is written as JSON.
type Verb func(ctx context.Context, in []byte) (any, error)

// Verbs are the commands by name, such as "clients.create".
type Verbs map[string]Verb

// Do makes a verb of a function. Members that In does not have are refused, so that a client newer than the server does
// not take them for executed.
func Do[In, Out any](f func(ctx context.Context, in *In) (Out, error)) Verb {
	return func(ctx context.Context, body []byte) (any, error) {
		in := new(In)
		if err := strictjson.UnmarshalKnown(body, in); err != nil {
			return nil, Refuse("The server does not understand what was asked: is it of another version?")
		}
		return f(ctx, in)
	}
}

// Join merges the tables of the services.
func Join(tables ...Verbs) (Verbs, error) {
	all := Verbs{}
	for _, t := range tables {
		for name, v := range t {
			if all[name] != nil {
				return nil, fmt.Errorf("admin: two verbs are called %s", name)
			}
			all[name] = v
		}
	}
	return all, nil
}

// Call runs a verb, and returns its result as JSON.
func (v Verbs) Call(ctx context.Context, verb string, in []byte) (json.RawMessage, error) {
	do := v[verb]
	if do == nil {
		return nil, kinds().NotFound.Err()
	}
	out, err := do(ctx, in)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // addresses have ampersands, and no page shows them
	err = e.Encode(out)
	return b.Bytes(), err
}

// Refuse returns an error whose text the operator sees.
func Refuse(format string, args ...any) error {
	return (&fault.Kind{Code: refused, Status: http.StatusBadRequest}).Err().Detailf(format, args...)
}

// RefuseStale returns a refusal that is [stale.Err], too: the values changed after they were shown.
func RefuseStale() error {
	return errors.Join(Refuse("The values changed after they were shown. Read them again."), stale.Err)
}

const refused = "refused"

// Refusal returns the text of what [Refuse] has made.
func Refusal(err error) (text string, ok bool) {
	if e, is := errors.AsType[*fault.Error](err); is && e.Kind.Code == refused {
		return e.Text(), true
	}
	return "", false
}
