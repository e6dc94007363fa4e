package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/griot/internal/clock"
)

// Options describe the measured program.
type Options struct {
	Version string
	Now     clock.Now // for the age of measurements
}

// Groups are the counters that packages use. The zero value counts nothing.
type Groups struct {
	HTTP        *HTTP
	Gateways    *Gateways
	Submissions *Submissions
	Messages    *Messages
	Codes       *Codes
	Logins      *Logins
	Webhooks    *Webhooks
	Database    *Database
	Process     *Process
}

// Metrics are all metrics of a process.
type Metrics struct {
	Groups

	registry  *prometheus.Registry
	described []Description
	measured  *measured
}

// Description is the documentation of a metric.
type Description struct {
	Name, Kind, Help string
	Labels           []string
}

// Kinds of metrics.
const (
	counterKind   = "counter"
	gaugeKind     = "gauge"
	histogramKind = "histogram"
)

// New returns the metrics of a process. All counters are 0, and nothing is measured before [Metrics.Measure].
func New(o Options) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.gauge("griot_build_info", "1, with the running version.", "version", "goversion").WithLabelValues(o.Version, runtime.Version()).Set(1)
	m.Process = newProcess(m)
	m.HTTP = newHTTP(m)
	m.Submissions, m.Messages = newSubmissions(m), newMessages(m)
	m.Gateways = newGateways(m)
	m.Codes, m.Logins, m.Webhooks = newCodes(m), newLogins(m), newWebhooks(m)
	m.Database = newDatabase(m)
	m.measured = newMeasured(m, o.Now)
	m.registry.MustRegister(m.measured)
	return m
}

// Described returns the descriptions of the program's own metrics, in the order of the documentation.
func (m *Metrics) Described() []Description { return m.described }

// maxScrapes is the maximum number of concurrent scrapes.
const maxScrapes = 4

// Handler serves scrapes. Metrics that could not be measured are missing in the response, and are counted.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxScrapes, EnableOpenMetrics: true,
	})
}

func (m *Metrics) describe(name, kind, help string, labels []string) prometheus.Opts {
	m.described = append(m.described, Description{name, kind, help, labels})
	return prometheus.Opts{Name: name, Help: help}
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts(m.describe(name, counterKind, help, labels)), labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts(m.describe(name, gaugeKind, help, labels)), labels)
	m.registry.MustRegister(g)
	return g
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	o := m.describe(name, histogramKind, help, labels)
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: o.Name, Help: o.Help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}

// times returns the buckets of durations for which people wait, in seconds.
func times() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

// sizes returns the buckets of batches, which have at most 256 items.
func sizes() []float64 { return []float64{1, 2, 4, 8, 16, 32, 64, 128, 256} }

// other is the label of values that are not in a set of labels.
const other = "other"

// counts are counters that differ in one label, indexed by its value.
type counts struct {
	known  map[string]prometheus.Counter
	others func() prometheus.Counter
}

// newCounts resolves a vector whose last label is one of values, after fixed labels.
func newCounts(vec *prometheus.CounterVec, fixed []string, values ...string) counts {
	with := func(value string) prometheus.Counter {
		return vec.WithLabelValues(append(slices.Clone(fixed), value)...)
	}
	c := counts{known: map[string]prometheus.Counter{}, others: func() prometheus.Counter { return with(other) }}
	for _, v := range values {
		c.known[v] = with(v)
	}
	return c
}

// inc counts a value. An unknown value counts as other, which has a series only after the first such value.
func (c counts) inc(value string) {
	if n, ok := c.known[value]; ok {
		n.Inc()
		return
	}
	c.others().Inc()
}

func seconds(d time.Duration) float64 { return max(0, d.Seconds()) }
