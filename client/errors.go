package griot

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/griot/client/internal/wire"
)

// Error is an answer that says no. Branch on Code, which is stable, or ask
// errors.Is(err, [ErrQuotaExceeded]); /docs/errors of the service explains each code.
type Error struct {
	HTTPStatus int
	Code       string        // such as quota_exceeded; "unexpected_answer" when it was no answer of a Griot
	Message    string        // a sentence for people
	Field      string        // the member that is to blame, if one is
	RequestID  string        // names the exchange; quote it when you report a problem
	DocsURL    string        // explains Code
	RetryAfter time.Duration // how long to wait before another try; zero: nothing was said

	MessageID     string        // the message that it is about, if it was stored
	MessageStatus MessageStatus // its status
	Reason        string        // why it failed
	MessagesUsed  int64         // with quota_exceeded: of the day's quota
	Limit         int64         // with quota_exceeded: the day's quota
	UpgradeURL    string        // with quota_exceeded: where a larger plan can be had

	RequiredPlan   string // with plan_required: the smallest plan that has what was asked for
	RecipientLimit int64  // with recipient_limit_reached: how many messages one recipient may get in a day

	Raw []byte // the body as it came
}

// CodeUnexpected is the code of an answer that is not a Griot's: a proxy's page, for example.
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

// Is reports whether target is the error's code, such as [ErrQuotaExceeded].
func (e *Error) Is(target error) bool {
	code, ok := target.(CodeError)
	return ok && string(code) == e.Code
}

// IsCode reports whether err is an [*Error] with a code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// CodeError is the code of an [*Error], as what errors.Is compares with.
type CodeError string

func (c CodeError) Error() string { return string(c) }

// ArgumentError is a call that was not made, because of one of its arguments.
type ArgumentError struct {
	Field   string // which one, by its name on the wire
	Problem string
}

func (e *ArgumentError) Error() string { return "griot: " + e.Problem }

// UnansweredError is a call that got no answer: it is not known whether it had an effect.
type UnansweredError struct {
	IdempotencyKey string // of a send: under it, the same message can be sent again and goes out once
	Tries          int
	Err            error
}

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("no answer after %d tries: %v", e.Tries, e.Err)
}

// Unwrap returns what broke the last try.
func (e *UnansweredError) Unwrap() error { return e.Err }

// errorOf reads an answer that says no, or that is none of a Griot's.
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
