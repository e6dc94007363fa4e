package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Gateways counts the calls to gateways and their reports.
type Gateways struct {
	attempts, failures, receipts, unreadable, inbound, local, dropped, changes, unhandled *prometheus.CounterVec
	seconds                                                                               *prometheus.HistogramVec
}

func newGateways(m *Metrics) *Gateways {
	return &Gateways{
		attempts:   m.counter("griot_gateway_attempts_total", "Attempts to send a message. Each attempt calls the gateway.", "gateway"),
		failures:   m.counter("griot_gateway_attempt_failures_total", "Failed attempts, by the class of their error. The gateway causes sender_down, temporary, rate_limited, and unknown. The message causes permanent and unreachable.", "gateway", "class"),
		seconds:    m.histogram("griot_gateway_attempt_duration_seconds", "Time that a gateway took to respond to an attempt.", times(), "gateway"),
		receipts:   m.counter("griot_gateway_receipts_total", "Delivery receipts that Griot stored, or that contained nothing new.", "gateway", "status"),
		unreadable: m.counter("griot_gateway_receipts_unreadable_total", "Delivery receipts that Griot dropped because it couldn't read their message or status.", "gateway"),
		inbound:    m.counter("griot_gateway_inbound_total", "Messages from people that Griot stored, or that proved a login.", "gateway"),
		local:      m.counter("griot_gateway_inbound_local_total", "SMS that Griot stored although their sender isn't an international number, by its kind. They belong to no person and opt no one out.", "gateway", "kind"),
		changes:    m.counter("griot_gateway_changes_total", "Reports about people and their messages that aren't messages, such as a changed number or an edited message.", "gateway", "kind"),
		unhandled:  m.counter("griot_gateway_unhandled_total", "Reports of providers that Griot dropped because it couldn't read or use them, by reason.", "gateway", "reason"),
		dropped:    m.counter("griot_gateway_dropped_total", "Messages and receipts that Griot dropped because they didn't belong to this gateway.", "gateway"),
	}
}

// Gateway returns the counters of a gateway. classes, statuses, kinds, reasons, and locals are the possible values for failures, receipts, changes, unhandled reports, and local senders.
func (g *Gateways) Gateway(name string, classes, statuses, kinds, reasons, locals []string) *Gateway {
	if g == nil {
		return nil
	}
	return &Gateway{
		attempts: g.attempts.WithLabelValues(name), seconds: g.seconds.WithLabelValues(name), inbound: g.inbound.WithLabelValues(name), dropped: g.dropped.WithLabelValues(name),
		unreadable: g.unreadable.WithLabelValues(name),
		failures:   newCounts(g.failures, []string{name}, classes...), receipts: newCounts(g.receipts, []string{name}, statuses...),
		changes: newCounts(g.changes, []string{name}, kinds...), unhandled: newCounts(g.unhandled, []string{name}, reasons...),
		local: newCounts(g.local, []string{name}, locals...),
	}
}

// Gateway counts for one gateway. Nil counts nothing.
type Gateway struct {
	attempts, unreadable, inbound, dropped        prometheus.Counter
	seconds                                       prometheus.Observer
	failures, receipts, changes, unhandled, local counts
}

// Attempt counts an attempt; class is that of its error, or "".
func (g *Gateway) Attempt(class string, took time.Duration) {
	if g == nil {
		return
	}
	g.attempts.Inc()
	g.seconds.Observe(seconds(took))
	if class != "" {
		g.failures.inc(class)
	}
}

// Receipt counts a receipt.
func (g *Gateway) Receipt(status string) {
	if g != nil {
		g.receipts.inc(status)
	}
}

// UnreadableReceipt counts a receipt that could not be read.
func (g *Gateway) UnreadableReceipt() {
	if g != nil {
		g.unreadable.Inc()
	}
}

// Inbound counts a person's message.
func (g *Gateway) Inbound() {
	if g != nil {
		g.inbound.Inc()
	}
}

// Local counts a message whose sender isn't an international number.
func (g *Gateway) Local(kind string) {
	if g != nil {
		g.local.inc(kind)
	}
}

// Dropped counts a report that was not for the gateway.
func (g *Gateway) Dropped() {
	if g != nil {
		g.dropped.Inc()
	}
}

// Change counts a change that a gateway reported.
func (g *Gateway) Change(kind string) {
	if g != nil {
		g.changes.inc(kind)
	}
}

// Unhandled counts a dropped report.
func (g *Gateway) Unhandled(reason string) {
	if g != nil {
		g.unhandled.inc(reason)
	}
}
