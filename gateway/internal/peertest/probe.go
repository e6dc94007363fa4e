package peertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"griot/gateway"
)

// Question is what a driver asks a gateway to know whether it would take messages.
type Question struct {
	Path          string // how that of each call begins
	Authorization string // of each call
	Yes, Refused  string // bodies of the answers with 200 and with 401
	Code          string // the provider's, of the latter
	Secret        string // that the latter repeats
	Open          func(url string) gateway.Prober
}

// Check asks, and wants a question that sends nothing, with our credentials; a refusal of them that doesn't repeat
// them; and no failure that says that something was handed over.
func (q *Question) Check(t *testing.T) {
	t.Helper()
	status, body, calls := http.StatusOK, q.Yes, []string{}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != q.Authorization || !strings.HasPrefix(r.URL.Path, q.Path) {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer far.Close()
	p := q.Open(far.URL)
	if err := p.Probe(t.Context()); err != nil || len(calls) == 0 || !strings.HasPrefix(calls[0], "GET ") {
		t.Errorf("%v: %v", calls, err)
	}
	status, body = http.StatusUnauthorized, q.Refused
	err := p.Probe(t.Context())
	if err == nil {
		t.Fatal("a refusal passes")
	}
	e := gateway.AsError(err)
	if e.Class != gateway.SenderDown || e.Code != "credentials_refused" || e.ProviderCode != q.Code || strings.Contains(err.Error(), q.Secret) {
		t.Errorf("refused: %v", err)
	}
	status, body = http.StatusInternalServerError, "<html>"
	if err := p.Probe(t.Context()); err == nil || gateway.AsError(err).Class != gateway.Temporary {
		t.Errorf("a question was handed over: %v", err)
	}
}
