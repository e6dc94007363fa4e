package resend

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// answerError returns the error of a response, or nil for 2xx.
func answerError(answer *httpcall.Answer) *gateway.Error {
	if answer.Status/100 == 2 {
		return nil
	}
	var body struct {
		Name    string `json:"name"`
		Message string `json:"message"` // it contains field names and possibly their values, so it is not passed on
	}
	e := &gateway.Error{ProviderCode: "HTTP " + strconv.Itoa(answer.Status)}
	if json.Unmarshal(answer.Body, &body) == nil && regexp.MustCompile(`\A[a-z_]{1,64}\z`).MatchString(body.Name) {
		e.ProviderCode = body.Name
		e.Class, e.Code, e.RetryAfter = classify(body.Name, answer.Status, strings.Contains(body.Message, "`to`"))
	}
	if e.Code == "" { // the name is not in the table
		e.Class, e.Code = statusError(answer.Status)
	}
	answer.SetRetryAfter(e)
	return e
}

// classify implements the table in docs/gateways/resend.md. The code is "" if the name is not in the table.
func classify(name string, status int, aboutRecipient bool) (gateway.Class, string, time.Duration) {
	switch name {
	case "missing_api_key", "invalid_api_key", "restricted_api_key", "suspended_api_key", "invalid_access", "invalid_permission":
		return gateway.SenderDown, "credentials_refused", 0
	case "rate_limit_exceeded":
		return gateway.RateLimited, "rate_limited", time.Second
	case "daily_quota_exceeded":
		return gateway.RateLimited, "daily_quota_exceeded", time.Hour
	case "monthly_quota_exceeded":
		return gateway.SenderDown, "quota_exceeded", 0
	case "concurrent_idempotent_requests": // an earlier attempt is in progress
		return gateway.Unknown, "in_progress", 0
	case "invalid_idempotent_request": // an earlier attempt with other content was accepted
		return gateway.Unknown, "reference_reused", 0
	case "application_error", "internal_server_error":
		return gateway.Unknown, "provider_error", 0
	case "invalid_from_address":
		return gateway.Permanent, "sender_invalid", 0
	case "invalid_idempotency_key":
		return gateway.Permanent, "reference_invalid", 0
	case "validation_error":
		switch {
		case status == http.StatusForbidden: // the domain is not verified, or can send only to its owner
			return gateway.SenderDown, "sender_refused", 0
		case aboutRecipient:
			return gateway.Unreachable, "recipient_refused", 0
		}
	}
	return gateway.Permanent, "", 0
}

func statusError(status int) (gateway.Class, string) {
	if status == http.StatusConflict { // an earlier attempt is in progress
		return gateway.Unknown, "in_progress"
	}
	return httpcall.ClassifyStatus(status, "provider_error")
}
