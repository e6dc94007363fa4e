package fault

import (
	"errors"
	"fmt"
	"time"
)

// Service names the service in whose error body a Kind is.
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
	Text    string // what happened; never holds anything that was submitted
	Fix     string // what the caller can do, for docs/errors.md
}

// Error is a Kind that happened, with what is known about it. It never holds
// what was submitted: neither Field (a member's name) nor Detail may.
type Error struct {
	Kind       *Kind
	Field      string         // the member or parameter that is wrong
	Detail     string         // replaces the Kind's text where more can be said
	RetryAfter time.Duration  // rounded up to whole seconds on the wire
	Extra      map[string]any // further members of the body
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

// Is reports whether target is an Error of the same Kind.
func (e *Error) Is(target error) bool {
	t, ok := errors.AsType[*Error](target)
	return ok && t.Kind == e.Kind
}

// Text returns what a caller may read about the error.
func (e *Error) Text() string {
	if e.Detail != "" {
		return e.Detail
	}
	return e.Kind.Text
}

// Err returns an Error of this Kind.
func (k *Kind) Err() *Error { return &Error{Kind: k} }

// On returns an Error about one member or parameter.
func (k *Kind) On(field string) *Error { return &Error{Kind: k, Field: field} }

// Because returns an Error with a cause for the log.
func (k *Kind) Because(err error) *Error { return &Error{Kind: k, Cause: err} }

// After returns an Error that names a time to wait.
func (k *Kind) After(d time.Duration) *Error { return &Error{Kind: k, RetryAfter: d} }

// Detailf replaces the text that the caller reads. Nothing that was submitted may be in it.
func (e *Error) Detailf(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// With adds a member to the body.
func (e *Error) With(member string, value any) *Error {
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra[member] = value
	return e
}

// As returns the Error in err's chain, or one of the Kind fallback with err as its cause.
func As(err error, fallback *Kind) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return fallback.Because(err)
}
