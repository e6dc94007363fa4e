package otp

import (
	"errors"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/metrics"
	"example.com/griot/messaging/message"
)

// issueResult returns the result of a request for a code, for the metrics.
func issueResult(i *Issued, err error) string {
	e, known := errors.AsType[*apierror.Error](err)
	switch {
	case err == nil && i.Send.Deduplicated:
		return metrics.Replayed
	case err == nil && i.Send.Message.Status == message.Sandbox:
		return metrics.Simulated
	case err == nil:
		return metrics.CodeSent
	case !known || e.Kind.Status >= http.StatusInternalServerError:
		return metrics.Failed
	case e.Kind == apierror.OTPRateLimited:
		return metrics.CodeRateLimited
	case e.Kind == apierror.OTPBlocked:
		return metrics.CodeBlocked
	}
	return metrics.Refused
}

// checkResult returns the result of an entered code, for the metrics.
func checkResult(err error) string {
	e, known := errors.AsType[*apierror.Error](err)
	switch {
	case err == nil:
		return metrics.CodeVerified
	case !known || e.Kind.Status >= http.StatusInternalServerError:
		return metrics.Failed
	case e.Kind == apierror.OTPInvalidCode, e.Kind == apierror.OTPExpired, e.Kind == apierror.OTPTooManyAttempts, e.Kind == apierror.OTPNotFound:
		return e.Kind.Code
	}
	return metrics.Refused
}
