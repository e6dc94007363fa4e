package httpcall

import (
	"net/http"

	"griot/gateway"
)

// ByStatus says what a status that isn't 2xx means when the answer's body does not:
// it is a proxy's, most likely. broken is the code of a 5xx, after which the message
// may have been passed on.
func ByStatus(status int, broken string) (gateway.Class, string) {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return gateway.SenderDown, "credentials_refused"
	case status == http.StatusTooManyRequests:
		return gateway.RateLimited, "rate_limited"
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
