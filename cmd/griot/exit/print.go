package exit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	griot "example.com/griot/client"
)

// Print writes an error as a line for people, with the page that explains it if there is one, or as a line of JSON. It writes
// nothing for an error without a text.
func Print(w io.Writer, err error, asJSON bool) {
	text := err.Error()
	if text == "" {
		return
	}
	if !asJSON {
		if e, ok := errors.AsType[*griot.Error](err); ok && e.DocsURL != "" {
			text += " See " + e.DocsURL
		}
		_, _ = fmt.Fprintln(w, "griot:", text)
		return
	}
	_ = json.NewEncoder(w).Encode(object(err))
}

// failure is an error as JSON. It has the same fields as the service's errors, whose values it repeats.
type failure struct {
	Success        bool   `json:"success"`
	Error          string `json:"error"`
	Code           string `json:"code"`
	Message        string `json:"message"`
	Field          string `json:"field,omitempty"`
	HTTPStatus     int    `json:"httpStatus,omitempty"`
	RequestID      string `json:"requestId,omitempty"`
	DocsURL        string `json:"docsUrl,omitempty"`
	RetryAfter     int    `json:"retryAfter,omitempty"` // seconds
	MessageID      string `json:"messageId,omitempty"`
	Reason         string `json:"reason,omitempty"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	ExitCode       int    `json:"exitCode"`
}

func object(err error) failure {
	f := failure{Code: "failed", Message: err.Error(), ExitCode: CodeOf(err)}
	if own, ok := errors.AsType[*Error](err); ok {
		f.IdempotencyKey = own.IdempotencyKey
		switch {
		case own.Name != "":
			f.Code = own.Name
		case own.Code == CodeUsage:
			f.Code = "usage"
		}
	}
	if e, ok := errors.AsType[*griot.Error](err); ok {
		f.Code, f.Message, f.Field, f.HTTPStatus, f.RequestID, f.DocsURL = e.Code, e.Message, e.Field, e.HTTPStatus, e.RequestID, e.DocsURL
		f.RetryAfter, f.MessageID, f.Reason = int(e.RetryAfter.Seconds()), e.MessageID, e.Reason
	}
	f.Error = f.Code
	return f
}
