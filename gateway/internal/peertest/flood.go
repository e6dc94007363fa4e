package peertest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"griot/gateway/gatewaytest"
)

// Inflow is a driver's door for the calls of its provider.
type Inflow struct {
	Door    http.Handler
	Body    int64                         // bytes that one body may have
	Held    int64                         // bytes that all bodies may have together
	Sink    *gatewaytest.Sink             // the driver's
	Call    func(n int) *http.Request     // the n-th genuine call, each of which brings one message or receipt
	Brought func(k *gatewaytest.Sink) int // how many different ones the sink has
}

// Flood floods a door twice: with bodies whose end is kept back, of which those that find no room must be turned away
// with 503 (429 where the provider gives up at that) and those that do must fit into the memory that is set aside; and with genuine calls while the sink fails,
// of which each that is acknowledged must be stored. In between and at the end the door must work.
func (f *Inflow) Flood(t *testing.T) {
	t.Helper()
	flood := int(3*f.Held/f.Body) + 3
	end, given, answers := make(chan struct{}), make(chan struct{}), make(chan *httptest.ResponseRecorder, flood)
	inside := 0
	for range flood {
		r := f.Call(0)
		r.Body, r.ContentLength = io.NopCloser(&held{left: f.Body - 1, given: given, end: end}), -1
		go func() {
			w := httptest.NewRecorder()
			f.Door.ServeHTTP(w, r)
			answers <- w
		}()
		select {
		case <-given: // all but the end has been taken in
			inside++
		case w := <-answers:
			if w.Code != http.StatusServiceUnavailable && w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
				t.Fatalf("answered with %d while others are held; want 503 or 429, and Retry-After", w.Code)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("neither taken in nor turned away")
		}
	}
	if inside == 0 || int64(inside)*f.Body > f.Held {
		t.Errorf("%d bodies of %d bytes are held, and %d bytes may be", inside, f.Body, f.Held)
	}
	close(end)
	for range inside {
		if w := <-answers; w.Code/100 == 2 {
			t.Errorf("what nobody signed is answered with %d", w.Code)
		}
	}
	f.genuine(t)
}

// genuine brings many genuine calls at once, each until it is acknowledged.
func (f *Inflow) genuine(t *testing.T) {
	t.Helper()
	const many = 200
	f.Sink.Refuse(many / 2)
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() {
			for range 10 * many {
				w := httptest.NewRecorder()
				f.Door.ServeHTTP(w, f.Call(n))
				if w.Code/100 == 2 {
					return
				}
				if w.Code < http.StatusInternalServerError && w.Code != http.StatusTooManyRequests {
					t.Errorf("a genuine call is answered with %d, after which it doesn't come again", w.Code)
					return
				}
			}
			t.Error("a genuine call was never taken")
		})
	}
	all.Wait()
	if n := f.Brought(f.Sink); n != many {
		t.Errorf("%d calls are acknowledged, and %d things are stored", many, n)
	}
}

// Messages counts the messages that a sink has, each once.
func Messages(k *gatewaytest.Sink) int {
	ids := map[string]bool{}
	for _, in := range k.Messages() {
		ids[in.ID] = true
	}
	return len(ids)
}

// Receipts counts the references that a sink has receipts for.
func Receipts(k *gatewaytest.Sink) int {
	refs := map[string]bool{}
	for _, r := range k.Receipts() {
		refs[r.Ref] = true
	}
	return len(refs)
}

// held is a body whose end is kept back.
type held struct {
	left  int64
	given chan<- struct{}
	end   <-chan struct{}
	once  sync.Once
}

func (h *held) Read(b []byte) (int, error) {
	if h.left > 0 {
		n := int(min(h.left, int64(len(b))))
		copy(b, bytes.Repeat([]byte("x"), n))
		h.left -= int64(n)
		return n, nil
	}
	h.once.Do(func() { h.given <- struct{}{} })
	<-h.end
	return 0, io.EOF
}
