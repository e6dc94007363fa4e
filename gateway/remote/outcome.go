package remote

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/phone"
)

// codeNeverSeen is the code for a reference that the gateway does not know.
const codeNeverSeen = "never_seen"

// readAck parses the acknowledgment of a message. It must contain our reference, which the page of another server does not.
func readAck(answer *httpcall.Answer, ref string) (gateway.Ack, *gateway.Error) {
	var body Accepted
	if failure := readAnswer(answer, &body); failure != nil {
		return gateway.Ack{}, failure
	}
	if body.Reference != ref {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "answer_invalid", ProviderCode: strconv.Itoa(answer.Status)}
	}
	ack := gateway.Ack{ProviderID: body.ProviderID}
	if n, ok := phone.Parse(body.Recipient); ok {
		ack.Recipient = string(n)
	}
	return ack, nil
}

// readAnswer parses a response with status 200 into v. Other statuses are errors.
func readAnswer(answer *httpcall.Answer, v any) *gateway.Error {
	if answer.Status != http.StatusOK {
		return answerError(answer)
	}
	if !answer.Whole || json.Unmarshal(answer.Body, v) != nil {
		return &gateway.Error{Class: gateway.Unknown, Code: "answer_invalid", ProviderCode: "200"}
	}
	return nil
}

// answerError returns the error of a response, from the table in docs/gateway-protocol.md §6. Only a response in the
// protocol's form comes from the gateway. A bare status might come from a proxy.
func answerError(answer *httpcall.Answer) *gateway.Error {
	status := strconv.Itoa(answer.Status)
	if f := readRefusal(answer); slices.Contains(gateway.Classes(), f.Class) {
		e := f.asError("gateway_error")
		e.RetryAfter = cmp.Or(e.RetryAfter, httpcall.RetryAfter(answer.Header))
		e.ProviderCode = cmp.Or(e.ProviderCode, status)
		return e
	}
	e := &gateway.Error{ProviderCode: status}
	if class, code, ok := httpcall.CommonStatus(answer.Status, "answer_invalid"); ok {
		e.Class, e.Code = class, code
		answer.SetRetryAfter(e)
		return e
	}
	switch code := answer.Status; {
	case code == http.StatusRequestEntityTooLarge:
		e.Class, e.Code = gateway.Permanent, "message_too_large"
	case code >= 300 && code < 500:
		e.Class, e.Code = gateway.SenderDown, "gateway_misconfigured"
	default:
		e.Class, e.Code = gateway.Unknown, "answer_invalid"
	}
	return e
}

// readRefusal parses a refusal. It returns the zero Failure for anything else.
func readRefusal(answer *httpcall.Answer) Failure {
	var r Refusal
	if !answer.Whole || json.Unmarshal(answer.Body, &r) != nil {
		return Failure{}
	}
	return r.Error
}

var codePattern = regexp.MustCompile(`\A[a-z][a-z0-9]{0,31}(_[a-z0-9]{1,31}){0,5}\z`)

// asError converts a failure. An invalid code becomes fallback. A provider's code that might be a phone number or a
// text is dropped, because it would be logged.
func (f Failure) asError(fallback string) *gateway.Error {
	e := &gateway.Error{Class: f.Class, Code: f.Code, ProviderCode: httpcall.ProviderCode(f.ProviderCode)}
	if !codePattern.MatchString(f.Code) || httpcall.HasNumber(f.Code) {
		e.Code = fallback
	}
	if f.RetryAfter > 0 {
		e.RetryAfter = time.Duration(min(f.RetryAfter, 24*60*60)) * time.Second
	}
	return e
}
