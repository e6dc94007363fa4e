package metrics

import "github.com/prometheus/client_golang/prometheus"

// Results of a request to send.
const (
	Accepted       = "accepted"
	Simulated      = "simulated"
	Replayed       = "replayed"
	QuotaExceeded  = "quota_exceeded"
	RecipientLimit = "recipient_limit_reached"
	Overloaded     = "overloaded"
	Refused        = "refused"
	Failed         = "failed"
)

// Submissions counts requests to send. Nil counts nothing.
type Submissions struct{ outcomes counts }

func newSubmissions(m *Metrics) *Submissions {
	vec := m.counter("griot_submissions_total", "Requests to send, with each item of a batch counted separately. Outcomes: accepted, simulated, replayed (an idempotency key), quota_exceeded, recipient_limit_reached, overloaded, refused (any other invalid request), failed (it is unknown whether the message was stored).", "outcome")
	return &Submissions{newCounts(vec, nil, Accepted, Simulated, Replayed, QuotaExceeded, RecipientLimit, Overloaded, Refused, Failed)}
}

// Ended counts a request by its result.
func (s *Submissions) Ended(outcome string) {
	if s != nil {
		s.outcomes.inc(outcome)
	}
}

// Messages counts the transitions of messages. Nil counts nothing.
type Messages struct {
	statuses *prometheus.CounterVec
	batches  *prometheus.HistogramVec
}

func newMessages(m *Metrics) *Messages {
	return &Messages{
		statuses: m.counter("griot_message_transitions_total", "Changes of message statuses that this process wrote, by the new status. A change that keeps the status counts too.", "channel", "status"),
		batches:  m.histogram("griot_outbox_batch_size", "Operations on messages in one batch.", sizes(), "operation"),
	}
}

// Transitions returns the counters of a channel's messages. statuses are all possible statuses.
func (m *Messages) Transitions(channel string, statuses []string) *Transitions {
	if m == nil {
		return nil
	}
	return &Transitions{newCounts(m.statuses, []string{channel}, statuses...)}
}

// Transitions counts the transitions of one channel's messages. Nil counts nothing.
type Transitions struct{ statuses counts }

// Written counts a transition to a status.
func (t *Transitions) Written(status string) {
	if t != nil {
		t.statuses.inc(status)
	}
}

// Batches returns the counter of the batches of one operation; nil counts nothing.
func (m *Messages) Batches(operation string) *Batches {
	if m == nil {
		return nil
	}
	return &Batches{m.batches.WithLabelValues(operation)}
}

// Batches counts batches by their size. Nil counts nothing.
type Batches struct{ sizes prometheus.Observer }

// Written counts a batch.
func (b *Batches) Written(size int) {
	if b != nil {
		b.sizes.Observe(float64(size))
	}
}
