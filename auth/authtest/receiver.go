package authtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/griot/internal/waittest"
)

// A Delivery is a request that a tenant's endpoint received.
type Delivery struct {
	Header http.Header
	Raw    string
	Body   map[string]any
}

// A Receiver is a tenant's endpoint.
type Receiver struct {
	URL    string
	Status atomic.Int64 // of its responses
	mu     sync.Mutex
	all    []Delivery
	read   int // by Next
}

// NewReceiver starts a server that receives a tenant's events until the test ends.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	l := &Receiver{}
	l.Status.Store(http.StatusNoContent)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		d := Delivery{Header: r.Header.Clone(), Raw: string(raw)}
		_ = json.Unmarshal(raw, &d.Body)
		l.mu.Lock()
		l.all = append(l.all, d)
		l.mu.Unlock()
		w.WriteHeader(int(l.Status.Load()))
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	l.URL = s.URL + "/hook"
	return l
}

// Got returns all deliveries so far.
func (l *Receiver) Got() []Delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Delivery(nil), l.all...)
}

// Wait waits for n deliveries, and returns all deliveries so far.
func (l *Receiver) Wait(t testing.TB, n int) (got []Delivery) {
	t.Helper()
	waittest.Until(t, func() error {
		if got = l.Got(); len(got) < n {
			return fmt.Errorf("%d deliveries, want %d", len(got), n)
		}
		return nil
	})
	return got
}

// Next waits for the delivery after the one that it returned before.
func (l *Receiver) Next(t testing.TB) Delivery {
	t.Helper()
	l.read++
	return l.Wait(t, l.read)[l.read-1]
}
