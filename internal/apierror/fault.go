package apierror

import (
	"errors"
	"fmt"
	"time"
)

// Service is the service whose error body contains a Kind.
type Service string

// The two services.
const (
	Auth      Service = "auth"
	Messaging Service = "messaging"
)

// Kind is one line of the catalog.
type Kind struct {
	Service Service
	Code    string // stable: error_code of the login service, error and code of the messaging service
	Status  int    // HTTP status
	OAuth   string // error of the login service (RFC 6749): one of four words; empty in the messaging service
	Text    string // description of the error; never contains submitted values
	Fix     string // what the caller can do, for docs/errors.md
}

// Error is an occurrence of a Kind, with details. Neither Field (the name of a field)
// nor Detail can contain submitted values.
type Error struct {
	Kind       *Kind
	Field      string         // the invalid field or parameter
	Detail     string         // replaces the Kind's text if more details are known
	RetryAfter time.Duration  // rounded up to whole seconds in the response
	Extra      map[string]any // additional fields of the body
	Cause      error          // for the log only
}

// Error implements error, for logs.
func (e *Error) Error() string {
	s := string(e.Kind.Service) + ": " + e.Kind.Code
	if e.Field != "" {
		s += " (" + e.Field + ")"
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an Error of the same Kind and, if target has them, with the same Field and Detail.
func (e *Error) Is(target error) bool {
	t, ok := errors.AsType[*Error](target)
	return ok && t.Kind == e.Kind && (t.Field == "" || t.Field == e.Field) && (t.Detail == "" || t.Detail == e.Detail)
}

// Text returns the description of the error for the caller.
func (e *Error) Text() string {
	if e.Detail != "" {
		return e.Detail
	}
	return e.Kind.Text
}

// Err returns an Error of this Kind.
func (k *Kind) Err() *Error { return &Error{Kind: k} }

// On returns an Error about one field or parameter.
func (k *Kind) On(field string) *Error { return &Error{Kind: k, Field: field} }

// Because returns an Error with a cause for the log.
func (k *Kind) Because(err error) *Error { return &Error{Kind: k, Cause: err} }

// After returns an Error with a time to wait.
func (k *Kind) After(d time.Duration) *Error { return &Error{Kind: k, RetryAfter: d} }

// Detailf replaces the text that the caller reads. The text must not contain submitted values.
func (e *Error) Detailf(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// With adds a field to the body.
func (e *Error) With(member string, value any) *Error {
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra[member] = value
	return e
}

// As returns the Error in err's chain. If there is none, it returns an Error of the Kind fallback
// with err as its cause.
func As(err error, fallback *Kind) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return fallback.Because(err)
}
