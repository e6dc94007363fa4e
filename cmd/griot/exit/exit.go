package exit

import (
	"errors"
	"fmt"
)

// The exit codes of griot, in addition to 0 and 1.
const (
	CodeUsage       = 2   // invalid usage, and nothing was done
	CodeFailed      = 3   // messages have failed
	CodeSchema      = 3   // the program can't use its database's schema, and restarting it doesn't help
	CodePending     = 4   // not finished: a message is in flight, or a batch has more to send
	CodeConfig      = 78  // griot serve can't start with its configuration, and restarting it doesn't help (EX_CONFIG of sysexits.h)
	CodeInterrupted = 130 // the value of shells for Ctrl-C
)

// Error ends the program with an exit code. If Err is nil, nothing is printed.
type Error struct {
	Code int
	Err  error

	// For --json: a stable code, if Err has none from the service, and the key with which the same message is sent only
	// once.
	Name, IdempotencyKey string
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Usage returns the error for an invalid usage of a command.
func Usage(format string, args ...any) error {
	return &Error{Code: CodeUsage, Err: fmt.Errorf(format, args...)}
}

// CodeOf returns the exit code for an error.
func CodeOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 1
}
