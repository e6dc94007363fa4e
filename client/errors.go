package griot

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/griot/client/internal/wire"
)

// An Error is an error response of the service. Branch on Code, which is stable, or use errors.Is(err,
// [ErrQuotaExceeded]). The page /docs/errors of the service explains each code.
type Error struct {
	HTTPStatus int
	Code       string        // such as quota_exceeded; "unexpected_answer" if the response is not from Griot
	Message    string        // a sentence for people
	Field      string        // the invalid field, if there is one
	RequestID  string        // identifies the request; include it when you report a problem
	DocsURL    string        // the address of a page that explains Code
	RetryAfter time.Duration // the time to wait before another try; zero: not given

	MessageID     string        // the message, if it was stored
	MessageStatus MessageStatus // the status of the message
	Reason        string        // the reason for the failure of the message
	MessagesUsed  int64         // with quota_exceeded: the used part of the daily quota
	Limit         int64         // with quota_exceeded: the daily quota
	UpgradeURL    string        // with quota_exceeded: the address of a page that offers larger plans

	RequiredPlan   string // with plan_required: the smallest plan that allows the call
	RecipientLimit int64  // with recipient_limit_reached: the number of messages that one recipient can get per day

	Raw []byte // the response body as received
}

// CodeUnexpected is the code of a response that is not from Griot, such as the error page of a proxy.
const CodeUnexpected = "unexpected_answer"

func (e *Error) Error() string {
	s := fmt.Sprintf("%s (HTTP %d)", e.Code, e.HTTPStatus)
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Field != "" {
		s += " [" + e.Field + "]"
	}
	if e.RequestID != "" {
		s += " (request " + e.RequestID + ")"
	}
	return s
}

// Is reports whether target is the code of the error, such as [ErrQuotaExceeded].
func (e *Error) Is(target error) bool {
	code, ok := target.(CodeError)
	return ok && string(code) == e.Code
}

// IsCode reports whether err is an [*Error] with the given code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// A CodeError is the code of an [*Error], in a form that errors.Is can compare.
type CodeError string

func (c CodeError) Error() string { return string(c) }

// An ArgumentError reports a call that the client did not make because an argument is invalid.
type ArgumentError struct {
	Field   string // the argument's name in the API
	Problem string
}

func (e *ArgumentError) Error() string { return "griot: " + e.Problem }

// An UnansweredError reports a call that got no response. The call might have had an effect.
type UnansweredError struct {
	IdempotencyKey string // for sends: with this key, the same message can be sent again without a duplicate
	Tries          int
	Err            error
}

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("no answer after %d tries: %v", e.Tries, e.Err)
}

// Unwrap returns the error of the last try.
func (e *UnansweredError) Unwrap() error { return e.Err }

// errorOf decodes an error response, or a response that is not from Griot.
func errorOf(a *wire.Answer) *Error {
	var body struct {
		Code           string        `json:"code"`
		Message        string        `json:"message"`
		Field          string        `json:"field"`
		RequestID      string        `json:"requestId"`
		DocsURL        string        `json:"docsUrl"`
		MessageID      string        `json:"messageId"`
		MessageStatus  MessageStatus `json:"status"`
		Reason         string        `json:"reason"`
		MessagesUsed   int64         `json:"messagesUsed"`
		Limit          int64         `json:"limit"`
		UpgradeURL     string        `json:"upgradeUrl"`
		RequiredPlan   string        `json:"requiredPlan"`
		RecipientLimit int64         `json:"recipientLimit"`
	}
	e := &Error{HTTPStatus: a.Status, Code: CodeUnexpected, Message: "this is not the answer of a Griot: is the address right?", RetryAfter: a.RetryAfter(), Raw: a.Body}
	if a.Status/100 == 2 || json.Unmarshal(a.Body, &body) != nil || body.Code == "" {
		return e
	}
	e.Code, e.Message, e.Field, e.RequestID, e.DocsURL = body.Code, body.Message, body.Field, body.RequestID, body.DocsURL
	e.MessageID, e.MessageStatus, e.Reason = body.MessageID, body.MessageStatus, body.Reason
	e.MessagesUsed, e.Limit, e.UpgradeURL = body.MessagesUsed, body.Limit, body.UpgradeURL
	e.RequiredPlan, e.RecipientLimit = body.RequiredPlan, body.RecipientLimit
	return e
}
