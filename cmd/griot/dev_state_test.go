package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"example.com/griot/cmd/griot/devfile"
)

// The listeners respond before the process reports that it is ready.
func TestDevState_WaitsUntilItIsReady(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" && asked.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	s := &devfile.State{InternalURL: server.URL, AuthURL: server.URL, BaseURL: server.URL}
	if err := ready(t.Context(), s); err != nil || asked.Load() != 3 {
		t.Errorf("got %v after %d questions, want nil after 3", err, asked.Load())
	}
}
