package smsgate

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"griot/gateway"
	"griot/gateway/internal/httpcall"
)

// judge is the table of docs/gateways/smsgate.md: what an answer to a message means. The texts in it stay here.
func judge(answer *httpcall.Answer, ref string) *gateway.Error {
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
		return nil // it has the message already
	case status >= 200 && status < 300:
		if readable && a.ID == ref {
			return nil
		}
		e.Class, e.Code = gateway.Unknown, "answer_invalid"
	case status == http.StatusServiceUnavailable && readable && a.Message != "":
		// The server's own: the phone's queue is full because it hasn't come for its messages. A proxy's has another form.
		e.Class, e.Code, e.RetryAfter = gateway.Temporary, "queue_full", httpcall.RetryAfter(answer.Header)
	case status >= 500:
		e.Class, e.Code = gateway.Unknown, "answer_invalid"
	case status == http.StatusBadRequest && readable:
		e.Class, e.Code = refused(strings.ToLower(a.Message))
	case status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		e.Class, e.Code = gateway.Permanent, "message_refused"
	}
	return e
}

// refused says what a 400 is about. The app has no codes, only sentences.
func refused(sentence string) (gateway.Class, string) {
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
