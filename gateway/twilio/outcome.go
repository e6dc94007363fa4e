package twilio

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// answerError returns the error of a response, or nil for 2xx. It does not read Twilio's texts, because they contain numbers.
func answerError(answer *httpcall.Answer) *gateway.Error {
	if answer.Status/100 == 2 {
		return nil
	}
	var body struct {
		Code int `json:"code"`
	}
	var failure *gateway.Error
	if json.Unmarshal(answer.Body, &body) == nil && body.Code != 0 {
		failure = codeError(body.Code)
	} else {
		failure = &gateway.Error{ProviderCode: "HTTP " + strconv.Itoa(answer.Status)}
	}
	if failure.Code == "" { // the code is not in the table
		failure.Class, failure.Code = statusError(answer.Status)
	}
	answer.SetRetryAfter(failure)
	return failure
}

func statusError(status int) (gateway.Class, string) {
	if status == http.StatusNotFound { // the account does not exist
		return gateway.SenderDown, "credentials_refused"
	}
	return httpcall.ClassifyStatus(status, "answer_unreadable")
}

// codeError returns the error for a code in a response or a receipt, from the table in docs/gateways/twilio.md. Its
// Code is "" if the code is not in the table.
func codeError(code int) *gateway.Error {
	class, name, wait := classify(code)
	return &gateway.Error{Class: class, Code: name, ProviderCode: strconv.Itoa(code), RetryAfter: wait}
}

func classify(code int) (gateway.Class, string, time.Duration) {
	switch code {
	case 20429:
		return gateway.RateLimited, "rate_limited", time.Second
	case 21611, 30001, 30022:
		return gateway.RateLimited, "rate_limited", time.Minute
	case 30023:
		return gateway.RateLimited, "daily_quota_exceeded", time.Hour
	case 20503:
		return gateway.Temporary, "provider_unavailable", 0
	case 30008, 30009, 30410:
		return gateway.Temporary, "delivery_failed", 0
	case 20003, 20004, 20006, 20008:
		return gateway.SenderDown, "credentials_refused", 0
	case 20005, 30002:
		return gateway.SenderDown, "account_restricted", 0
	case 21212, 21603, 21606, 21659, 21660, 21661, 21703, 21705:
		return gateway.SenderDown, "sender_refused", 0
	case 30032, 30033, 30034, 30035:
		return gateway.SenderDown, "sender_not_registered", 0
	case 21211, 21214, 21217, 21263, 21265, 21266, 21612, 21614, 21635:
		return gateway.Unreachable, "recipient_refused", 0
	case 21408, 21608:
		return gateway.Unreachable, "recipient_not_allowed", 0
	case 21610:
		return gateway.Unreachable, gateway.CodeOptedOut, 0
	case 30003, 30005, 30006:
		return gateway.Unreachable, "recipient_unreachable", 0
	case 30004:
		return gateway.Unreachable, "recipient_blocked", 0
	case 30007:
		return gateway.Permanent, "message_filtered", 0
	case 21605, 21617:
		return gateway.Permanent, "message_too_long", 0
	case 21609, 21626:
		return gateway.Permanent, "callback_refused", 0
	case 30036:
		return gateway.Permanent, "expired", 0
	}
	return gateway.Permanent, "", 0
}
