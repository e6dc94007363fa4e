package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Results of a request for a code.
const (
	CodeSent        = "sent"
	CodeRateLimited = "rate_limited"
	CodeBlocked     = "blocked"
)

// CodeVerified is the result of the right code.
const CodeVerified = "verified"

// Codes counts one-time codes. Nil counts nothing.
type Codes struct{ issued, checked counts }

func newCodes(m *Metrics) *Codes {
	issued := m.counter("griot_otp_issued_total", "Requests for a one-time code: sent, simulated, replayed (an idempotency key), rate_limited (more than three per number in ten minutes), blocked (a guard against pumping), refused, failed.", "result")
	checked := m.counter("griot_otp_verifications_total", "Entered codes: verified, invalid_code, expired, too_many_attempts, not_found, refused (an invalid request), failed.", "result")
	return &Codes{
		newCounts(issued, nil, CodeSent, Simulated, Replayed, CodeRateLimited, CodeBlocked, Refused, Failed),
		newCounts(checked, nil, CodeVerified, "invalid_code", "expired", "too_many_attempts", "not_found", Refused, Failed),
	}
}

// Issued counts a request for a code by its result.
func (c *Codes) Issued(result string) {
	if c != nil {
		c.issued.inc(result)
	}
}

// Checked counts an entered code by its result.
func (c *Codes) Checked(result string) {
	if c != nil {
		c.checked.inc(result)
	}
}

// Steps of a login.
const (
	LoginStarted   = "started"
	LoginActivated = "activated"
	LoginVerified  = "verified"
	LoginCompleted = "completed"
	LoginCanceled  = "canceled"
	LoginConflict  = "conflict"

	LoginReplied     = "replied"
	LoginReplyFailed = "reply_failed"
)

// Logins counts logins. Nil counts nothing.
type Logins struct {
	steps    counts
	withheld prometheus.Counter
}

func newLogins(m *Metrics) *Logins {
	vec := m.counter("griot_logins_total", "Logins that reached a step: started, activated (the link was opened), verified (the words arrived), completed (the code was exchanged), canceled (by the person), conflict (two phones sent the words), replied (a reply confirmed it on the phone), reply_failed (it was not sent).", "step")
	withheld := m.counter("griot_login_emails_withheld_total", "Email addresses that were left out of an ID token or userinfo, because another tenant has proven the client's domain.").WithLabelValues()
	return &Logins{newCounts(vec, nil, LoginStarted, LoginActivated, LoginVerified, LoginCompleted, LoginCanceled, LoginConflict, LoginReplied, LoginReplyFailed), withheld}
}

// Withheld counts an email address that was left out of the claims.
func (l *Logins) Withheld() {
	if l != nil {
		l.withheld.Inc()
	}
}

// Reached counts a login that reached a step.
func (l *Logins) Reached(step string) {
	if l != nil {
		l.steps.inc(step)
	}
}

// Webhooks counts deliveries of events to customers' endpoints.
type Webhooks struct {
	attempts *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	gaveUp   *prometheus.CounterVec
}

func newWebhooks(m *Metrics) *Webhooks {
	return &Webhooks{
		attempts: m.counter("griot_webhook_attempts_total", "Attempts to deliver events and logout tokens (service logout): delivered, or the reason for the failure.", "service", "outcome"),
		seconds:  m.histogram("griot_webhook_attempt_duration_seconds", "Time that an endpoint took to respond.", times(), "service"),
		gaveUp:   m.counter("griot_webhook_events_given_up_total", "Events whose last attempt failed.", "service"),
	}
}

// Dispatcher returns the counters of a service's dispatcher. failures are the possible failure classes of an attempt.
func (w *Webhooks) Dispatcher(service string, failures []string) *Dispatcher {
	if w == nil {
		return nil
	}
	return &Dispatcher{newCounts(w.attempts, []string{service}, append(failures, webhookDelivered)...), w.seconds.WithLabelValues(service), w.gaveUp.WithLabelValues(service)}
}

// Dispatcher counts the deliveries of one service. Nil counts nothing.
type Dispatcher struct {
	attempts counts
	seconds  prometheus.Observer
	gaveUp   prometheus.Counter
}

const webhookDelivered = "delivered"

// Attempt counts an attempt; failure is its class, or "". gaveUp means that it was the last one.
func (d *Dispatcher) Attempt(failure string, took time.Duration, gaveUp bool) {
	if d == nil {
		return
	}
	if failure == "" {
		failure = webhookDelivered
	}
	d.attempts.inc(failure)
	d.seconds.Observe(seconds(took))
	if gaveUp {
		d.gaveUp.Inc()
	}
}
