package cloudapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// apiError is an error of the Graph API, in responses and webhooks. It omits the texts, because they might repeat the message.
type apiError struct {
	Code    *errorCode `json:"code"`
	Subcode errorCode  `json:"error_subcode"`
}

// errorCode is a JSON number or string.
type errorCode int

// UnmarshalJSON implements [json.Unmarshaler].
func (c *errorCode) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.Atoi(strings.Trim(string(b), `"`))
	*c = errorCode(n)
	return err
}

// answerUnreadable is the code for a response that does not show whether the message was accepted.
const answerUnreadable = "answer_unreadable"

// answerError returns the error of a response, or nil for 2xx.
func answerError(answer *httpcall.Answer) *gateway.Error {
	if answer.Status/100 == 2 {
		return nil
	}
	var body struct {
		Error *apiError `json:"error"`
	}
	var failure *gateway.Error
	if json.Unmarshal(answer.Body, &body) == nil && body.Error != nil && body.Error.Code != nil {
		failure = codeError(*body.Error)
		if failure.Code == unknownCode {
			failure.Class, failure.Code, failure.RetryAfter = unknownError(answer.Status)
		}
	} else {
		failure = &gateway.Error{ProviderCode: "HTTP " + strconv.Itoa(answer.Status)}
		failure.Class, failure.Code = httpcall.ClassifyStatus(answer.Status, answerUnreadable)
	}
	answer.SetRetryAfter(failure)
	return failure
}

// unknownCode is the code for an error whose code isn't in the table.
const unknownCode = "message_refused"

// unknownError returns the class, the code, and the wait for an error of the API whose code isn't in the table. Its status decides. A 5xx
// that the API itself reports is for now, as in the table, because the API has refused the message. A 403 is final, because it
// can be about the recipient.
func unknownError(status int) (gateway.Class, string, time.Duration) {
	switch {
	case status == http.StatusUnauthorized:
		return gateway.SenderDown, "credentials_refused", 0
	case status == http.StatusTooManyRequests:
		return gateway.RateLimited, "rate_limited", time.Minute
	case status >= http.StatusInternalServerError:
		return gateway.Temporary, httpcall.CodeUnavailable, 0
	}
	return gateway.Permanent, unknownCode, 0
}

// codeError returns the error for a code, from the table in docs/gateways/cloudapi.md.
func codeError(e apiError) *gateway.Error {
	switch {
	case e.Code == nil:
		return &gateway.Error{Class: gateway.Permanent, Code: unknownCode}
	case *e.Code == 100 && e.Subcode == 33: // the phone number ID does not exist or does not belong to this token
		return &gateway.Error{Class: gateway.SenderDown, Code: "sender_unknown", ProviderCode: "100/33"}
	}
	class, code, wait := classify(int(*e.Code))
	return &gateway.Error{Class: class, Code: code, ProviderCode: strconv.Itoa(int(*e.Code)), RetryAfter: wait}
}

// throughputReached is the code for more messages per second than a number can send and receive.
const throughputReached = 130429

func classify(code int) (gateway.Class, string, time.Duration) {
	switch code {
	case 1, 2, 131000, 131016, 131057, 133004:
		return gateway.Temporary, "provider_unavailable", 0
	case 4, 17, 32, 613, 80007, 131064, 133016:
		return gateway.RateLimited, "rate_limited", time.Minute
	case throughputReached, 132069:
		return gateway.RateLimited, "rate_limited", 5 * time.Second
	case 131056:
		return gateway.RateLimited, "pair_rate_limited", 6 * time.Second
	case 131048:
		return gateway.RateLimited, "spam_rate_limited", time.Hour
	case 0, 3, 10, 190, 131005:
		return gateway.SenderDown, "credentials_refused", 0
	case 368, 131031:
		return gateway.SenderDown, "account_restricted", 0
	case 131042:
		return gateway.SenderDown, "payment_required", 0
	case 33, 131037, 131045, 133010:
		return gateway.SenderDown, "sender_not_registered", 0
	case 131026, 131060:
		return gateway.Unreachable, "recipient_unreachable", 0
	case 131021, 131030, 130497:
		return gateway.Unreachable, "recipient_not_allowed", 0
	case 131050:
		return gateway.Unreachable, gateway.CodeMarketingStopped, 0
	case 131047:
		return gateway.Permanent, "window_closed", 0
	case 131062:
		return gateway.Permanent, "recipient_number_required", 0
	case 131063:
		return gateway.Permanent, "marketing_disabled", 0
	case 131049, 130472:
		return gateway.Permanent, "withheld_by_provider", 0
	case 131052, 131053:
		return gateway.Permanent, "media_refused", 0
	case 100, 131008, 131009, 131051, 147001, 147002, 147003, 147004, 147005: // 147xxx are about our own username
		return gateway.Permanent, "request_refused", 0
	}
	switch {
	case code >= 200 && code < 300:
		return gateway.SenderDown, "credentials_refused", 0
	case code >= 132000 && code < 133000:
		return gateway.Permanent, "template_refused", 0
	}
	return gateway.Permanent, unknownCode, 0
}
