package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// received is a delivery that an endpoint got.
type received struct {
	header http.Header
	body   string
}

// webhookServer is an endpoint that keeps what it gets.
type webhookServer struct {
	url string
	mu  sync.Mutex
	all []received
}

// newWebhookServer starts an endpoint; answer says the status of the nth delivery.
func newWebhookServer(t *testing.T, answer func(n int, r *http.Request) int) *webhookServer {
	t.Helper()
	h := &webhookServer{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the sender was killed while it sent
		}
		h.mu.Lock()
		h.all = append(h.all, received{r.Header.Clone(), string(body)})
		n := len(h.all)
		h.mu.Unlock()
		w.WriteHeader(answer(n, r))
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	h.url = s.URL + "/hook"
	return h
}

func accepts(int, *http.Request) int { return http.StatusNoContent }

func (h *webhookServer) got() []received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]received(nil), h.all...)
}

// waitFor waits for n deliveries.
func (h *webhookServer) waitFor(t *testing.T, n int) []received {
	t.Helper()
	eventually(t, 30*time.Second, func() error {
		if got := len(h.got()); got < n {
			return fmt.Errorf("%d deliveries, want %d", got, n)
		}
		return nil
	})
	return h.got()
}

func (p *process) operator() *operator {
	return &operator{t: p.t, dir: p.dir, args: []string{"--data", p.dir}}
}

const smsToAwa = `{"channel":"sms","to":"22376000001","message":"Bonjour <Awa> & \u00e9"}`

// freeAddress returns an address of this machine where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", freePort(t))
}
