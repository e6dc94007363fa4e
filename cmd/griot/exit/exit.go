package exit

import (
	"errors"
	"fmt"
)

// The exit codes of griot, beside 0 and 1.
const (
	CodeUsage       = 2   // the command was called wrongly, and nothing was done
	CodeFailed      = 3   // messages have failed
	CodeSchema      = 3   // the program can't use its database's schema, and starting it again doesn't help
	CodePending     = 4   // it is not over yet: a message is on its way, or a batch has more to send
	CodeConfig      = 78  // griot serve can't start with its configuration, and starting it again doesn't help (EX_CONFIG of sysexits.h)
	CodeInterrupted = 130 // as shells say it of Ctrl-C
)

// Error ends the program with a code. Without an error nothing is printed.
type Error struct {
	Code int
	Err  error

	// For --json: a stable code, where Err has none of the service, and the key under which the same message goes out once.
	Name, IdempotencyKey string
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Usage returns the error of a command that was called wrongly.
func Usage(format string, args ...any) error {
	return &Error{Code: CodeUsage, Err: fmt.Errorf(format, args...)}
}

// CodeOf returns the code that an error ends the program with.
func CodeOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 1
}
