package delivery

import (
	"errors"
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/metrics"
	"example.com/griot/messaging/message"
)

// transitions returns the counters of each channel's transitions.
func transitions(m *metrics.Messages) map[gateway.Channel]*metrics.Transitions {
	var statuses []string
	for _, s := range message.Statuses() {
		statuses = append(statuses, string(s))
	}
	all := map[gateway.Channel]*metrics.Transitions{}
	for _, c := range []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email} {
		all[c] = m.Transitions(string(c), statuses)
	}
	return all
}

// countSubmission counts a request by its result.
func (s *Service) countSubmission(r *Result, err error) {
	s.o.Metrics.Submissions.Ended(submissionOutcome(r, err))
}

func submissionOutcome(r *Result, err error) string {
	e, known := errors.AsType[*apierror.Error](err)
	switch {
	case err == nil && r.Deduplicated:
		return metrics.Replayed
	case err == nil && r.Message.Status == message.Sandbox:
		return metrics.Simulated
	case err == nil:
		return metrics.Accepted
	case !known:
		return metrics.Failed
	case e.Kind == apierror.TooMuchUnderWay:
		return metrics.Overloaded
	case e.Kind.Status >= http.StatusInternalServerError:
		return metrics.Failed
	case e.Kind == apierror.MessageFailed: // a replay of a failed message
		return metrics.Replayed
	case e.Kind == apierror.QuotaExceeded:
		return metrics.QuotaExceeded
	case e.Kind == apierror.RecipientLimitReached:
		return metrics.RecipientLimit
	}
	return metrics.Refused
}
