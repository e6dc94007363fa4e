package griot

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is an answer that says no. Branch on Code: it is stable, and
// /docs/errors of the service explains each.
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

// IsCode reports whether err is an [*Error] with a code.
func IsCode(err error, code string) bool {
	e, ok := as[*Error](err)
	return ok && e.Code == code
}

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

// errorOf reads an answer that says no.
func errorOf(status int, header http.Header, raw []byte) *Error {
	var body struct {
		Code          string        `json:"code"`
		Message       string        `json:"message"`
		Field         string        `json:"field"`
		RequestID     string        `json:"requestId"`
		DocsURL       string        `json:"docsUrl"`
		MessageID     string        `json:"messageId"`
		MessageStatus MessageStatus `json:"status"`
		Reason        string        `json:"reason"`
		MessagesUsed  int64         `json:"messagesUsed"`
		Limit         int64         `json:"limit"`
		UpgradeURL    string        `json:"upgradeUrl"`
	}
	e := &Error{HTTPStatus: status, Code: CodeUnexpected, Message: "this is not the answer of a Griot: is the address right?", RetryAfter: retryAfter(header), Raw: raw}
	if json.Unmarshal(raw, &body) != nil || body.Code == "" {
		return e
	}
	e.Code, e.Message, e.Field, e.RequestID, e.DocsURL = body.Code, body.Message, body.Field, body.RequestID, body.DocsURL
	e.MessageID, e.MessageStatus, e.Reason = body.MessageID, body.MessageStatus, body.Reason
	e.MessagesUsed, e.Limit, e.UpgradeURL = body.MessagesUsed, body.Limit, body.UpgradeURL
	return e
}

// retryAfter reads whole seconds, as a Griot sends them.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.ParseInt(h.Get("Retry-After"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// as is errors.As with its answer returned: Go 1.24 has no errors.AsType.
func as[E error](err error) (found E, ok bool) {
	ok = errors.As(err, &found)
	return found, ok
}
