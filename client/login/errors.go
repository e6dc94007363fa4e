package login

import (
	"encoding/json"
	"errors"

	griot "example.com/griot/client"
	"example.com/griot/client/internal/wire"
)

// Error says why nobody was signed in, or why a token is not to be trusted.
type Error struct {
	Code    string // such as access_denied
	Problem string // a sentence for people who look at logs. Where the service has sent it back, it is what the address said
}

func (e *Error) Error() string { return "login: " + e.Code + ": " + e.Problem }

// Is reports whether target is the error's code, such as [ErrAccessDenied].
func (e *Error) Is(target error) bool {
	code, ok := target.(griot.CodeError)
	return ok && string(code) == e.Code
}

// What this package refuses, as an [*Error].
const (
	ErrAccessDenied   griot.CodeError = "access_denied"   // the login was not completed: offer to start again
	ErrLoginRequired  griot.CodeError = "login_required"  // another person than that of the [StartOptions.IDTokenHint] has sent the words
	ErrNoLogin        griot.CodeError = "no_login"        // this browser has started no login, or one that is over
	ErrStateMismatch  griot.CodeError = "state_mismatch"  // the return is not that of the login
	ErrIssuerMismatch griot.CodeError = "issuer_mismatch" // another service has sent the browser back
	ErrInvalidToken   griot.CodeError = "invalid_token"
	ErrInvalidKeys    griot.CodeError = "invalid_keys" // what the issuer publishes are no keys
)

func invalid(problem string) error { return &Error{string(ErrInvalidToken), problem} }

// errorOf reads an answer that says no, or that is none of a Griot's.
func errorOf(a *wire.Answer) *griot.Error {
	var body struct {
		Code      string `json:"error_code"`
		Message   string `json:"error_description"`
		DocsURL   string `json:"docs_url"`
		RequestID string `json:"request_id"`
	}
	e := &griot.Error{HTTPStatus: a.Status, Code: griot.CodeUnexpected, Message: "this is not the answer of a Griot: is the issuer right?", RetryAfter: a.RetryAfter(), Raw: a.Body}
	if a.Status/100 == 2 || json.Unmarshal(a.Body, &body) != nil || body.Code == "" {
		return e
	}
	e.Code, e.Message, e.DocsURL, e.RequestID = body.Code, body.Message, body.DocsURL, body.RequestID
	return e
}

// outcome returns an error of the wire as applications know it.
func outcome(err error) error {
	var lost *wire.UnansweredError
	if errors.As(err, &lost) {
		return &griot.UnansweredError{Tries: lost.Tries, Err: lost.Err}
	}
	return err
}
