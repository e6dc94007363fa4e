package httpx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/metrics"
)

// Requests are counted by the pattern of their route and not by their path, including those that panic. Streams are
// not timed.
func TestHandler_CountsRequests(t *testing.T) {
	m := metrics.New(metrics.Options{Now: clock.System})
	a := newAPI(io.Discard)
	a.Metrics = m.HTTP.Service("test")
	h := a.Handler([]httpx.Route{
		{Method: "GET", Path: "/items/{id}", Access: httpx.Anyone, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})},
		{Method: "GET", Path: "/panic", Access: httpx.Anyone, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })},
		{Method: "GET", Path: "/stream", Access: httpx.Anyone, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") })},
	})
	outside := httpx.Counted(m.HTTP.Service("outside").Routes([]string{"/calls/{name}/"}), "/calls/{name}/", http.NotFoundHandler())
	for path, to := range map[string]http.Handler{"/items/22370000001": h, "/items/2": h, "/panic": h, "/stream": h, "/nowhere/22370000001": h, "/calls/far/x": outside} {
		to.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`griot_http_requests_total{code="2xx",method="GET",route="/items/{id}",service="test"} 2`,
		`griot_http_requests_total{code="5xx",method="GET",route="/panic",service="test"} 1`,
		`griot_http_requests_total{code="4xx",method="",route="other",service="test"} 1`,
		`griot_http_requests_total{code="4xx",method="",route="/calls/{name}/",service="outside"} 1`,
		`griot_http_requests_total{code="2xx",method="GET",route="/stream",service="test"} 1`,
		`griot_http_request_duration_seconds_count{method="GET",route="/stream",service="test"} 0`,
		`griot_http_request_duration_seconds_count{method="GET",route="/items/{id}",service="test"} 2`,
	} {
		if !strings.Contains(w.Body.String(), "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, w.Body)
		}
	}
	if strings.Contains(w.Body.String(), "22370000001") {
		t.Error("a path is in a label")
	}
}
