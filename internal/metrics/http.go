package metrics

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// HTTP counts requests.
type HTTP struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newHTTP(m *Metrics) *HTTP {
	return &HTTP{
		requests: m.counter("griot_http_requests_total", "Answered requests, by the pattern of their route and the class of the status (2xx, 4xx, …). Requests without a route have the route other.", "service", "method", "route", "code"),
		seconds:  m.histogram("griot_http_request_duration_seconds", "Duration of requests, without streamed responses.", times(), "service", "method", "route"),
	}
}

// Service returns the counters of one of the program's services.
func (h *HTTP) Service(name string) *Service {
	if h == nil {
		return nil
	}
	return &Service{h, name}
}

// Service counts the requests to a service. Nil counts nothing.
type Service struct {
	h    *HTTP
	name string
}

// Routes returns the counters of routes, by patterns of [net/http.ServeMux]. Routes without requests do not appear.
func (s *Service) Routes(patterns []string) *Routes {
	if s == nil {
		return nil
	}
	all := &Routes{byPattern: map[string]*route{}, other: &route{s: s, path: other}}
	for _, p := range patterns {
		r := &route{s: s, path: p}
		if method, path, ok := strings.Cut(p, " "); ok {
			r.method, r.path = method, strings.TrimSpace(path)
		}
		all.byPattern[p] = r
	}
	return all
}

// Routes counts the requests to the routes of a service. Nil counts nothing.
type Routes struct {
	byPattern map[string]*route
	other     *route
}

// classes is the number of status classes, by the first digit.
const classes = 6

type route struct {
	s            *Service
	method, path string
	once         sync.Once
	requests     [classes]prometheus.Counter
	seconds      prometheus.Observer
}

// Answered counts a request to the route with the pattern. streamed means that the response was a stream, whose
// duration is that of the connection.
func (a *Routes) Answered(pattern string, status int, took time.Duration, streamed bool) {
	if a == nil {
		return
	}
	r := a.byPattern[pattern]
	if r == nil {
		r = a.other
	}
	r.once.Do(r.resolve)
	r.requests[min(max(status/100, 1), classes-1)].Inc()
	if !streamed {
		r.seconds.Observe(seconds(took))
	}
}

// resolve creates the route's counters, so that all start at 0 after one of them counts.
func (r *route) resolve() {
	for class := 2; class < classes; class++ {
		r.requests[class] = r.s.h.requests.WithLabelValues(r.s.name, r.method, r.path, string(rune('0'+class))+"xx")
	}
	r.requests[0], r.requests[1] = r.requests[2], r.requests[2] // a response without a status is 200; 1xx doesn't occur
	r.seconds = r.s.h.seconds.WithLabelValues(r.s.name, r.method, r.path)
}
