package httpcall

import (
	"net/http"

	"griot/gateway"
)

// Common says what a status means that means the same to every driver when the answer's body says nothing; unsure is the
// code of those after which the message may have been passed on. ok is false for any other status.
func Common(status int, unsure string) (class gateway.Class, code string, ok bool) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return gateway.SenderDown, "credentials_refused", true
	case http.StatusRequestTimeout: // of a server that may have had all of it by then
		return gateway.Unknown, unsure, true
	case http.StatusMisdirectedRequest: // the connection was to the wrong server
		return gateway.Temporary, CodeUnavailable, true
	case http.StatusTooManyRequests:
		return gateway.RateLimited, "rate_limited", true
	}
	return "", "", false
}

// ByStatus says what a status that isn't 2xx means when the answer's body does not:
// it is a proxy's, most likely. broken is the code of a 5xx, after which the message
// may have been passed on.
func ByStatus(status int, broken string) (gateway.Class, string) {
	if class, code, ok := Common(status, broken); ok {
		return class, code
	}
	switch {
	case status == http.StatusServiceUnavailable:
		return gateway.Temporary, CodeUnavailable
	case status >= 500:
		return gateway.Unknown, broken
	case status < 400:
		return gateway.SenderDown, "redirected"
	}
	return gateway.Permanent, "message_refused"
}

// Hold lets a failure that passes wait as long as the answer asks for.
func (a *Answer) Hold(e *gateway.Error) {
	if e.Class != gateway.RateLimited && e.Class != gateway.Temporary {
		return
	}
	if asked := RetryAfter(a.Header); asked > 0 {
		e.RetryAfter = asked
	}
}
