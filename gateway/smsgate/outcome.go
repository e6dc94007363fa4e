package smsgate

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// answerError returns the error of a response to a message, without its texts, from the table in docs/gateways/smsgate.md.
func answerError(answer *httpcall.Answer, ref string) *gateway.Error {
	var a struct {
		ID      string `json:"id"`
		Message string `json:"message"`
	}
	readable := answer.Whole && json.Unmarshal(answer.Body, &a) == nil
	e := &gateway.Error{Class: gateway.SenderDown, Code: "gateway_misconfigured", ProviderCode: strconv.Itoa(answer.Status)}
	if class, code, ok := httpcall.CommonStatus(answer.Status, "answer_invalid"); ok {
		e.Class, e.Code = class, code
		answer.SetRetryAfter(e)
		return e
	}
	switch status := answer.Status; {
	case status == http.StatusConflict && readable:
		return nil // the phone already has the message
	case status >= 200 && status < 300:
		if readable && a.ID == ref {
			return nil
		}
		e.Class, e.Code = gateway.Unknown, "answer_invalid"
	case status == http.StatusServiceUnavailable && readable && a.Message != "":
		// The response comes from the server, not from a proxy: the queue is full because the phone has not fetched its messages.
		e.Class, e.Code, e.RetryAfter = gateway.Temporary, "queue_full", httpcall.RetryAfter(answer.Header)
	case status == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") != "": // a proxy has not forwarded the message
		e.Class, e.Code, e.RetryAfter = gateway.Temporary, httpcall.CodeUnavailable, httpcall.RetryAfter(answer.Header)
	case status >= 500:
		e.Class, e.Code = gateway.Unknown, "answer_invalid"
	case status == http.StatusBadRequest && readable:
		e.Class, e.Code = badRequestError(strings.ToLower(a.Message))
	case status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		e.Class, e.Code = gateway.Permanent, "message_refused"
	}
	return e
}

// badRequestError returns the class and code of a 400. The app has no error codes, only texts.
func badRequestError(sentence string) (gateway.Class, string) {
	switch {
	case strings.Contains(sentence, "expired"):
		return gateway.Permanent, "expired"
	case strings.Contains(sentence, "device"):
		return gateway.SenderDown, "device_unknown"
	case strings.Contains(sentence, "phone"):
		return gateway.Unreachable, "recipient_refused"
	}
	return gateway.Permanent, "message_refused"
}
