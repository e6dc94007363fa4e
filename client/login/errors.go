package login

import (
	"encoding/json"
	"errors"

	griot "example.com/griot/client"
	"example.com/griot/client/internal/wire"
)

// An Error explains why a login failed or a token is not valid.
type Error struct {
	Code    string // such as access_denied
	Problem string // a sentence for logs. If the service sent the browser back with an error, it contains parts of the URL
}

func (e *Error) Error() string { return "login: " + e.Code + ": " + e.Problem }

// Is reports whether target is the code of the error, such as [ErrAccessDenied].
func (e *Error) Is(target error) bool {
	code, ok := target.(griot.CodeError)
	return ok && string(code) == e.Code
}

// The error codes of this package, found in an [*Error].
const (
	ErrAccessDenied   griot.CodeError = "access_denied"   // the login was not completed; offer to start again
	ErrLoginRequired  griot.CodeError = "login_required"  // a person other than that of the [StartOptions.IDTokenHint] has signed in
	ErrNoLogin        griot.CodeError = "no_login"        // this browser has not started a login, or the login is over
	ErrStateMismatch  griot.CodeError = "state_mismatch"  // the response belongs to another login
	ErrIssuerMismatch griot.CodeError = "issuer_mismatch" // another service has sent the browser back
	ErrInvalidToken   griot.CodeError = "invalid_token"
	ErrInvalidKeys    griot.CodeError = "invalid_keys" // the issuer's key set is invalid
)

func invalid(problem string) error { return &Error{string(ErrInvalidToken), problem} }

// errorOf decodes an error response, or a response that is not from Griot.
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

// outcome converts an error of the package wire to the errors of this package.
func outcome(err error) error {
	var lost *wire.UnansweredError
	if errors.As(err, &lost) {
		return &griot.UnansweredError{Tries: lost.Tries, Err: lost.Err}
	}
	return err
}
