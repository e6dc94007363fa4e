package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/griot/griot-whatsapp/device"
)

// metrics are the Prometheus metrics. No label contains a number or an ID.
type metrics struct {
	registry    *prometheus.Registry
	sends       *prometheus.CounterVec // by outcome: taken, or the class of a failure
	receipts    *prometheus.CounterVec // by status
	inbound     prometheus.Counter
	unhandled   *prometheus.CounterVec // by reason
	events      *prometheus.CounterVec // by result
	leaseLosses prometheus.Counter
}

const namespace = "griot_whatsapp"

func newMetrics(g *Gateway) *metrics {
	counters := func(name, help, label string, values ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
		for _, value := range values { // so that they exist before the first count
			c.WithLabelValues(value)
		}
		return c
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		sends: counters("sends_total", "Messages that Griot has asked to send, by outcome.", "outcome",
			"taken", device.Permanent, device.Temporary, device.RateLimited, device.Unknown, device.SenderDown, device.Unreachable),
		receipts:    counters("receipts_total", "Receipts of Griot's messages, by status.", "status", "delivered", "read"),
		inbound:     counter("inbound_total", "Messages of people that were stored for Griot; one that WhatsApp repeats counts again."),
		events:      counters("events_total", "Events brought to Griot, by result.", "result", "taken", "refused", "failed", "expired", "dropped"),
		unhandled:   counters("unhandled_total", "What WhatsApp delivered and is no message with its content for Griot, by reason.", "reason", append([]string{"unreadable"}, device.Reasons...)...),
		leaseLosses: counter("lease_losses_total", "Numbers whose lease was lost, so that the connection was closed."),
	}
	m.registry.MustRegister(m.sends, m.receipts, m.inbound, m.unhandled, m.events, m.leaseLosses, &scraped{g: g},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// scraped collects the values that are read when Prometheus scrapes.
type scraped struct{ g *Gateway }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

var (
	connectionsDesc = describe("connections", "Numbers by the state of their connection; those that another process holds are connecting.", "state")
	connectsDesc    = describe("connects_total", "Connections to WhatsApp that were begun.")
	spoolEvents     = describe("spool_events", "Events that wait for Griot.")
	spoolHeld       = describe("spool_held_events", "Of the events that wait for Griot, those of people whose number is unknown while Griot is too old for them.")
	spoolParked     = describe("spool_parked_events", "Of the events that wait for Griot, those that Griot has refused.")
	spoolBytes      = describe("spool_bytes", "Bytes of the events that wait for Griot.")
	spoolAge        = describe("spool_oldest_seconds", "Age of the oldest event that waits for Griot; 0 where none waits.")
)

// Describe implements [prometheus.Collector].
func (s *scraped) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{connectionsDesc, connectsDesc, spoolEvents, spoolHeld, spoolParked, spoolBytes, spoolAge} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (s *scraped) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	states := map[string]int{}
	for _, c := range s.g.connections() {
		states[c.State]++
	}
	for _, state := range device.States {
		gauge(connectionsDesc, float64(states[string(state)]), string(state))
	}
	ch <- prometheus.MustNewConstMetric(connectsDesc, prometheus.CounterValue, float64(s.g.gate.Passed()))
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	spool, err := s.g.config.Store.Spool(ctx)
	if err != nil { // the other metrics are still reported
		ch <- prometheus.NewInvalidMetric(spoolEvents, err)
		return
	}
	gauge(spoolEvents, float64(spool.Events))
	held := 0
	if ids := s.g.ids.Load(); ids == nil || !*ids {
		held = spool.Held
	}
	gauge(spoolHeld, float64(held))
	gauge(spoolParked, float64(spool.Parked))
	gauge(spoolBytes, float64(spool.Bytes))
	gauge(spoolAge, spool.Age.Seconds())
}

// storeTimeout is the time limit for the probes' queries.
const storeTimeout = 2 * time.Second

// Probes returns the handler for /livez, /readyz, and /metrics. They need no signature, so serve them on a separate address.
func (g *Gateway) Probes() http.Handler {
	mux := http.NewServeMux()
	say := func(w http.ResponseWriter, status int, text string) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text + "\n")) // the client has disconnected
	}
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
		defer cancel()
		_, err := g.config.Store.Waiting(ctx)
		switch {
		case g.draining.Load():
			say(w, http.StatusServiceUnavailable, "stopping")
		case err != nil:
			say(w, http.StatusServiceUnavailable, "the store does not answer")
		default:
			say(w, http.StatusOK, "ok")
		}
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(g.metrics.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	return mux
}

// Drain makes /readyz fail because the process is about to stop.
func (g *Gateway) Drain() { g.draining.Store(true) }
