package systemtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"example.com/griot/internal/waittest"
)

// ReceivedWebhook is a delivery that an endpoint received.
type ReceivedWebhook struct {
	Header http.Header
	Body   string
}

// WebhookServer is an endpoint that stores its deliveries.
type WebhookServer struct {
	Url string
	mu  sync.Mutex
	all []ReceivedWebhook
}

// NewWebhookServer starts an endpoint. answer returns the status for the nth delivery.
func NewWebhookServer(t *testing.T, answer func(n int, r *http.Request) int) *WebhookServer {
	t.Helper()
	h := &WebhookServer{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the sender was killed while it sent the request
		}
		h.mu.Lock()
		h.all = append(h.all, ReceivedWebhook{r.Header.Clone(), string(body)})
		n := len(h.all)
		h.mu.Unlock()
		w.WriteHeader(answer(n, r))
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	h.Url = s.URL + "/hook"
	return h
}

// Received returns the requests so far.
func (h *WebhookServer) Received() []ReceivedWebhook {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]ReceivedWebhook(nil), h.all...)
}

// WaitFor waits for n deliveries.
func (h *WebhookServer) WaitFor(t *testing.T, n int) []ReceivedWebhook {
	t.Helper()
	waittest.Until(t, func() error {
		if got := len(h.Received()); got < n {
			return fmt.Errorf("%d deliveries, want %d", got, n)
		}
		return nil
	})
	return h.Received()
}

// AcceptsAll responds to each request with 204.
func AcceptsAll(int, *http.Request) int { return http.StatusNoContent }
