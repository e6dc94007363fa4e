package peertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/gateway"
)

// ProbeTest tests a driver's Probe.
type ProbeTest struct {
	Path              string // prefix of each call's path
	Authorization     string // of each call
	Accepted, Refused string // bodies of the responses with 200 and 401
	Code              string // ProviderCode of the 401 response
	Secret            string // a credential that the 401 response contains
	Open              func(url string) gateway.Prober
}

// Check calls Probe. It must not send a message, and it must use our credentials. Its error must not contain them,
// and no error can report that something was submitted.
func (q *ProbeTest) Check(t *testing.T) {
	t.Helper()
	status, body, calls := http.StatusOK, q.Accepted, []string{}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != q.Authorization || !strings.HasPrefix(r.URL.Path, q.Path) {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer provider.Close()
	p := q.Open(provider.URL)
	if err := p.Probe(t.Context()); err != nil || len(calls) == 0 || !strings.HasPrefix(calls[0], "GET ") {
		t.Errorf("%v: %v", calls, err)
	}
	status, body = http.StatusUnauthorized, q.Refused
	err := p.Probe(t.Context())
	if err == nil {
		t.Fatal("Probe succeeds although the credentials are refused")
	}
	e := gateway.AsError(err)
	if e.Class != gateway.SenderDown || e.Code != "credentials_refused" || e.ProviderCode != q.Code || strings.Contains(err.Error(), q.Secret) {
		t.Errorf("refused: %v", err)
	}
	status, body = http.StatusInternalServerError, "<html>"
	if err := p.Probe(t.Context()); err == nil || gateway.AsError(err).Class != gateway.Temporary {
		t.Errorf("after status 500: %v, want class temporary", err)
	}
}
