package httpcall

import (
	"net/http"

	"example.com/griot/gateway"
)

// CommonStatus classifies the statuses that have the same meaning for every driver, for responses whose body has no
// error code. unknownCode is the code to use if the message might have been submitted. ok is false for any other
// status.
func CommonStatus(status int, unknownCode string) (class gateway.Class, code string, ok bool) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return gateway.SenderDown, "credentials_refused", true
	case http.StatusRequestTimeout: // the server might have read the whole request
		return gateway.Unknown, unknownCode, true
	case http.StatusMisdirectedRequest: // the connection leads to the wrong server
		return gateway.Temporary, CodeUnavailable, true
	case http.StatusTooManyRequests:
		return gateway.RateLimited, "rate_limited", true
	}
	return "", "", false
}

// ClassifyStatus classifies a status other than 2xx, for responses whose body has no error code. Such responses most
// likely come from a proxy. unknownCode is the code to use if the message might have been submitted, for example
// after a 5xx.
func ClassifyStatus(status int, unknownCode string) (gateway.Class, string) {
	if class, code, ok := CommonStatus(status, unknownCode); ok {
		return class, code
	}
	switch {
	case status == http.StatusServiceUnavailable:
		return gateway.Temporary, CodeUnavailable
	case status >= 500:
		return gateway.Unknown, unknownCode
	case status < 400:
		return gateway.SenderDown, "redirected"
	}
	return gateway.Permanent, "message_refused"
}

// SetRetryAfter sets the RetryAfter of a rate limit or a temporary failure to the pause that the response asks for.
func (a *Answer) SetRetryAfter(e *gateway.Error) {
	if e.Class != gateway.RateLimited && e.Class != gateway.Temporary {
		return
	}
	if asked := RetryAfter(a.Header); asked > 0 {
		e.RetryAfter = asked
	}
}
