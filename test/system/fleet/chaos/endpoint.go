package chaos

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/griot/test/system/fleet/history"
)

// endpoint receives accounts' webhooks. It fails for the first delivery of some events.
type endpoint struct {
	rec *recorder
	url string

	mu   sync.Mutex
	seen map[string]bool
}

func newEndpoint(t testing.TB, rec *recorder) *endpoint {
	t.Helper()
	h := &endpoint{rec: rec, seen: map[string]bool{}}
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	h.url = s.URL
	return h
}

// ServeHTTP implements [http.Handler].
func (h *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := h.rec.now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed while it sent the request
	}
	id := r.Header.Get("webhook-id")
	h.mu.Lock()
	again := h.seen[id]
	h.seen[id] = true
	h.mu.Unlock()
	if e, ok := webhookEvent(id, body); ok {
		e.Begin = begin
		h.rec.add(e)
	}
	if sum := sha256.Sum256([]byte(id)); !again && sum[0] < 8 { // one in 32
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// webhookEvent returns the event of a message's step; ok is false for other events.
func webhookEvent(id string, body []byte) (e history.Event, ok bool) {
	var b struct{ Event, MessageID, Status string }
	if err := json.Unmarshal(body, &b); err != nil || b.Event != "message.status" {
		return e, false
	}
	sum := sha256.Sum256(body)
	return history.Event{Kind: history.Webhook, ID: id, Message: b.MessageID, Status: strings.ToUpper(b.Status), Digest: hex.EncodeToString(sum[:8])}, true
}
