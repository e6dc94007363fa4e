package peertest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/internal/waittest"
)

// WebhookFlood floods a driver's webhook handler.
type WebhookFlood struct {
	Handler http.Handler
	MaxBody int64                         // the limit of one body, in bytes
	MaxHeld int64                         // the limit of all bodies together, in bytes
	Sink    *gatewaytest.Sink             // the driver's sink
	Call    func(n int) *http.Request     // returns the n-th signed call, which contains one message or receipt
	Stored  func(k *gatewaytest.Sink) int // returns the number of different messages or receipts in the sink
}

// Run floods the handler twice. First, it sends unsigned bodies from one address and withholds their ends. Bodies
// that exceed the address's share of MaxHeld must get 503 (429 if the provider gives up at 503), and a signed call
// from another address must be accepted in the meantime. Then, it sends signed calls while the sink fails. Each
// acknowledged call must be stored.
func (f *WebhookFlood) Run(t *testing.T) {
	t.Helper()
	flood := int(3*f.MaxHeld/f.MaxBody) + 3
	end, given, answers := make(chan struct{}), make(chan struct{}), make(chan *httptest.ResponseRecorder, flood)
	held := 0
	for range flood {
		r := f.Call(0)
		r.Body, r.ContentLength = io.NopCloser(&heldBody{remaining: f.MaxBody - 1, given: given, end: end}), -1
		go func() {
			w := httptest.NewRecorder()
			f.Handler.ServeHTTP(w, r)
			answers <- w
		}()
		select {
		case <-given: // everything except the end has been read
			held++
		case w := <-answers:
			if w.Code != http.StatusServiceUnavailable && w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
				t.Fatalf("answered with %d while other bodies are held; want 503 or 429, and Retry-After", w.Code)
			}
		case <-time.After(waittest.Limit):
			t.Fatal("a body is neither read nor refused")
		}
	}
	if held == 0 || int64(held)*f.MaxBody > f.MaxHeld {
		t.Errorf("%d bodies of %d bytes are held, and %d bytes may be", held, f.MaxBody, f.MaxHeld)
	}
	w := httptest.NewRecorder()
	signed := f.Call(0)
	signed.RemoteAddr = "198.51.100.1:4711"
	if f.Handler.ServeHTTP(w, signed); w.Code/100 != 2 {
		t.Errorf("a signed call of another address is answered with %d while one address holds bodies", w.Code)
	}
	close(end)
	for range held {
		if w := waittest.Receive(t, answers); w.Code/100 == 2 {
			t.Errorf("an unsigned call is answered with %d", w.Code)
		}
	}
	f.signedCalls(t)
}

// signedCalls makes many signed calls concurrently, each until it is acknowledged.
func (f *WebhookFlood) signedCalls(t *testing.T) {
	t.Helper()
	const many = 200
	f.Sink.Refuse(many / 2)
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() {
			for range 10 * many {
				w := httptest.NewRecorder()
				f.Handler.ServeHTTP(w, f.Call(n))
				if w.Code/100 == 2 {
					return
				}
				if w.Code < http.StatusInternalServerError && w.Code != http.StatusTooManyRequests {
					t.Errorf("a signed call is answered with %d, after which the provider doesn't repeat it", w.Code)
					return
				}
			}
			t.Error("a signed call was never acknowledged")
		})
	}
	all.Wait()
	if n := f.Stored(f.Sink); n != many {
		t.Errorf("%d calls are acknowledged, and %d items are stored", many, n)
	}
}

// CountMessages counts the different messages in a sink.
func CountMessages(k *gatewaytest.Sink) int {
	ids := map[string]bool{}
	for _, in := range k.Messages() {
		ids[in.ID] = true
	}
	return len(ids)
}

// CountReceipts counts the references of the receipts in a sink.
func CountReceipts(k *gatewaytest.Sink) int {
	refs := map[string]bool{}
	for _, r := range k.Receipts() {
		refs[r.Ref] = true
	}
	return len(refs)
}

// heldBody is a body whose end is withheld.
type heldBody struct {
	remaining int64
	given     chan<- struct{}
	end       <-chan struct{}
	once      sync.Once
}

func (h *heldBody) Read(b []byte) (int, error) {
	if h.remaining > 0 {
		n := int(min(h.remaining, int64(len(b))))
		copy(b, bytes.Repeat([]byte("x"), n))
		h.remaining -= int64(n)
		return n, nil
	}
	h.once.Do(func() { h.given <- struct{}{} })
	<-h.end
	return 0, io.EOF
}
