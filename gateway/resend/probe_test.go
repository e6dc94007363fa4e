package resend

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"griot/gateway"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	status, body, calls := 200, `{"data":[]}`, []string{}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != "Bearer "+apiKey || !strings.HasPrefix(r.URL.Path, "/domains") {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer far.Close()
	f := newFake(t)
	s, _ := f.open(map[string]any{"base_url": far.URL})
	probe := gateway.Prober(s).Probe
	if err := probe(t.Context()); err != nil || len(calls) == 0 || !strings.HasPrefix(calls[0], "GET ") {
		t.Errorf("%v: %v", calls, err)
	}
	status, body = 401, `{"name":"invalid_api_key","message":"re_balafonKey"}`
	wantFailure(t, probe(t.Context()), "sender_down credentials_refused invalid_api_key")
	status, body = 500, "<html>"
	if err := probe(t.Context()); gateway.AsError(err).Class != gateway.Temporary {
		t.Errorf("a question was handed over: %v", err)
	}
}
